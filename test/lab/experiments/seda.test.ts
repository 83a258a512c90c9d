import { describe } from 'vitest'
import { itHoldsWhatIsClaimed } from './short-form.ts'

describe('what the figures claim (Welsh and Culler, §4)', () => {
  itHoldsWhatIsClaimed('seda')
})
