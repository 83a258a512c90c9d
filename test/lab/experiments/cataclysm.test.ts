import { describe } from 'vitest'
import { describeClaims } from '../../support/short-form.ts'

describe('claims of the figures (Cataclysm §6)', () => {
  describeClaims('cataclysm')
})
