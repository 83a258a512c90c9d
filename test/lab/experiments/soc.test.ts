import { describe } from 'vitest'
import { itHoldsWhatIsClaimed } from '../../support/short-form.ts'

describe('what the figures claim (Bartolini et al., §7.1 to §7.4)', () => {
  itHoldsWhatIsClaimed('soc', (name) => !/^soc-(15|20|23)/.test(name))
})
