import { describe } from 'vitest'
import { describeClaims } from '../../support/short-form.ts'

describe('claims of the figures (Urgaonkar et al. 2008, §8)', () => {
  describeClaims('provisioning')
})
