import { describe } from 'vitest'
import { describeClaims } from '../../support/short-form.ts'

describe('claims of the figures (Welsh and Culler 2003, §4)', () => {
  describeClaims('seda')
})
