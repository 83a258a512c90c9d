import { describe } from 'vitest'
import { describeClaims } from '../../support/short-form.ts'

describe('claims of the figures (Mathur et al., §II and §IV)', () => {
  describeClaims('lqr')
})
