import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { describe, it } from 'vitest'
import { HmacKey } from '../../src/lib/hmac.ts'

const byNode = (secret: string, text: string): string =>
  createHmac('sha256', secret).update(text).digest('base64url').slice(0, LETTERS)

/** 132 bits. */
const LETTERS = 22

const asBase64Url = (hex: string): string =>
  Buffer.from(hex, 'hex').toString('base64url').slice(0, LETTERS)

describe('HMAC-SHA256, cut to 132 bits', () => {
  it('is that of RFC 4231, test case 2', ({ expect }) => {
    expect(new HmacKey('Jefe').sign('what do ya want for nothing?')).toBe(
      asBase64Url('5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843'),
    )
  })

  it('is that of RFC 4231, test case 1 by its bytes: twenty times 0x0b as the key', ({
    expect,
  }) => {
    expect(new HmacKey('\u000b'.repeat(20)).sign('Hi There')).toBe(
      asBase64Url('b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7'),
    )
  })

  it('is the same as Node’s for every length of text up to three blocks', ({ expect }) => {
    const key = new HmacKey('secret')
    for (let length = 0; length <= 200; length++) {
      const text = 'x'.repeat(length)
      expect(key.sign(text)).toBe(byNode('secret', text))
    }
  })

  it('is the same as Node’s for every length of key up to three blocks', ({ expect }) => {
    for (let length = 1; length <= 200; length++) {
      const secret = 'k'.repeat(length)
      expect(new HmacKey(secret).sign('text')).toBe(byNode(secret, 'text'))
    }
  })

  it('is the same as Node’s where keys take turns, with long texts and short ones between', ({
    expect,
  }) => {
    const secrets = ['first', 'second '.repeat(20), 'dritte\u00e4', '']
    const keys = secrets.map((secret) => new HmacKey(secret))
    for (const length of [10, 2000, 60, 1024, 0, 340, 5000, 64])
      for (const [i, key] of keys.entries())
        for (const letter of ['x', 'é', '\ud800', '😀']) {
          const text = letter.repeat(length)
          expect(key.sign(text)).toBe(byNode(secrets[i]!, text))
        }
  })

  it('is the same as Node’s for any key and any text, and whatever was signed before', ({
    expect,
  }) => {
    const anyText = fc.oneof(
      fc.string(),
      fc.string({ unit: 'grapheme', maxLength: 300 }),
      fc.string({ unit: 'binary', maxLength: 3000 }),
    )
    fc.assert(
      fc.property(anyText, anyText, (secret, text) => {
        expect(new HmacKey(secret).sign(text)).toBe(byNode(secret, text))
      }),
    )
  })
})
