import { describe } from 'vitest'
import { describeClaims } from '../../support/short-form.ts'

describe('claims of the figures (Urgaonkar and Shenoy 2005, §6)', () => {
  describeClaims('cataclysm')
})
