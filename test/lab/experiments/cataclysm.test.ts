import { describe } from 'vitest'
import { itHoldsWhatIsClaimed } from '../../support/short-form.ts'

describe('what the figures claim (Cataclysm §6)', () => {
  itHoldsWhatIsClaimed('cataclysm')
})
