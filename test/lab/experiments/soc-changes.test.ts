import { describe } from 'vitest'
import { itHoldsWhatIsClaimed } from '../../support/short-form.ts'

describe('what the figures claim (Bartolini et al., §7.5 and §7.6)', () => {
  itHoldsWhatIsClaimed('soc', (name) => /^soc-(15|20|23)/.test(name))
})
