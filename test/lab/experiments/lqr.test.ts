import { describe } from 'vitest'
import { itHoldsWhatIsClaimed } from '../../support/short-form.ts'

describe('what the figures claim (Mathur et al., §II and §IV)', () => {
  itHoldsWhatIsClaimed('lqr')
})
