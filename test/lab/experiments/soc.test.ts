import { describe } from 'vitest'
import { describeClaims } from '../../support/short-form.ts'

describe('claims of the figures (Bartolini et al. 2009, §7.1 to §7.4)', () => {
  describeClaims('soc', (name) => !/^soc-(15|20|23)/.test(name))
})
