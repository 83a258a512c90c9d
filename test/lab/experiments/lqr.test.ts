import { describe } from 'vitest'
import { describeClaims } from '../../support/short-form.ts'

describe('claims of the figures (Mathur et al. 2009, §II and §IV)', () => {
  describeClaims('lqr')
})
