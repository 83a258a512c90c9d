import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { describe, it } from 'vitest'
import { Signer, sameText } from '../../src/lib/signer.ts'
import { OLDER_SECRET, SECRET } from '../support/requests.ts'

const newest = new Signer({ current: SECRET, previous: OLDER_SECRET })
const older = new Signer({ current: OLDER_SECRET, previous: null })

const ANY_TEXT = fc.string({ unit: 'grapheme' })
const LONG_PLAIN_TEXT = fc.string({ unit: 'binary-ascii', minLength: 400, maxLength: 700 })

describe('signatures', () => {
  it('are the first 132 bits of HMAC-SHA256 over purpose and text, as in another library', ({
    expect,
  }) => {
    fc.assert(
      fc.property(fc.oneof(ANY_TEXT, LONG_PLAIN_TEXT), (text) => {
        const expected = createHmac('sha256', SECRET).update(`session shop\n${text}`)
        expect(newest.sign('session shop', text)).toBe(expected.digest('base64url').slice(0, 22))
      }),
    )
  })

  it('are valid for their text and purpose only', ({ expect }) => {
    const signature = newest.sign('session shop', 'text')
    expect(newest.verify('session shop', 'text', signature)).toBe(true)
    expect(newest.verify('session shop', 'texts', signature)).toBe(false)
    expect(newest.verify('session api', 'text', signature)).toBe(false)
    expect(newest.verify('session shop', 'text', '')).toBe(false)
    expect(newest.verify('session shop', 'text', `${signature}A`)).toBe(false)
  })

  it('of the previous secret are still valid, and new ones use the current secret', ({
    expect,
  }) => {
    expect(newest.verify('a', 'b', older.sign('a', 'b'))).toBe(true)
    expect(older.verify('a', 'b', newest.sign('a', 'b'))).toBe(false)
  })
})

describe('comparing texts', () => {
  it('reads every letter, wherever the first difference is', ({ expect }) => {
    const secret = 'abcdefghijklmnopqrstuv'
    const readsFor = (given: string): number => {
      let reads = 0
      const watched = {
        length: secret.length,
        charCodeAt(i: number) {
          reads++
          return secret.charCodeAt(i)
        },
      }
      sameText(watched as unknown as string, given)
      return reads
    }
    for (let i = 0; i < secret.length; i++)
      expect(readsFor(`${secret.slice(0, i)}#${secret.slice(i + 1)}`)).toBe(secret.length)
    for (const given of ['', 'a', secret, `${secret}x`]) expect(readsFor(given)).toBe(secret.length)
  })

  it('is true for equal texts only', ({ expect }) => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (a, b) => {
        expect(sameText(a, b)).toBe(a === b)
        expect(sameText(a, `${a}`)).toBe(true)
        expect(sameText(a, `${a}b`)).toBe(false)
        expect(sameText(`${a}b`, a)).toBe(false)
      }),
    )
  })
})
