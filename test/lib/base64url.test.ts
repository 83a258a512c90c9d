import fc from 'fast-check'
import { describe, it } from 'vitest'
import { base64url } from '../../src/lib/base64url.ts'

describe('base64url', () => {
  it('is what Node makes of the same bytes', ({ expect }) => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        expect(base64url(bytes)).toBe(Buffer.from(bytes).toString('base64url'))
      }),
    )
  })
})
