import { describe } from 'vitest'
import { itHoldsWhatIsClaimed } from '../../support/short-form.ts'

describe('what the figures claim (Welsh and Culler, §4)', () => {
  itHoldsWhatIsClaimed('seda')
})
