import { describe } from 'vitest'
import { describeClaims } from '../../support/short-form.ts'

describe('claims of the figures (Welsh and Culler, §4)', () => {
  describeClaims('seda')
})
