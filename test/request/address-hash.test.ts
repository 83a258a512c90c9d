import fc from 'fast-check'
import { describe, it } from 'vitest'
import { addressHash } from '../../src/request/address-hash.ts'
import { addressKey } from '../support/address-key.ts'

const SCOPES = ['ip', 'range'] as const
const v4 = fc.ipV4()
const group = fc.nat({ max: 0xffff }).map((bits) => bits.toString(16))
/** Few values, so that two addresses often have their first groups in common. */
const alike = fc.constantFrom('0', '1', 'db8', 'ffff')
const v6 = fc
  .array(fc.oneof({ weight: 3, arbitrary: alike }, group), { minLength: 8, maxLength: 8 })
  .map((groups) => shortened(groups))
  // IPv4 in hexadecimal groups: no server writes a client's address like this.
  .filter((text) => !text.startsWith('::ffff:'))

/** As in RFC 5952: `::` replaces the longest run of empty groups. */
function shortened(groups: readonly string[]): string {
  const runs = groups.join(':').match(/(?:\b0(?::|$))+/g) ?? []
  const longest = runs.sort((a, b) => b.length - a.length)[0]
  const text = groups.join(':')
  if (!longest || longest.length < 3) return text
  const at = text.search(new RegExp(`(?:^|:)${longest.replace(/:$/, '')}(?::|$)`))
  return `${text.slice(0, at).replace(/:$/, '')}::${text
    .slice(at)
    .replace(/^:/, '')
    .slice(longest.length)
    .replace(/^:/, '')}`
}

describe('the hash of an address', () => {
  it('is the same for two addresses exactly if they count as one client', ({ expect }) => {
    fc.assert(
      fc.property(fc.oneof(fc.tuple(v4, v4), fc.tuple(v6, v6)), ([a, b]) => {
        for (const scope of SCOPES) {
          const isOne = addressKey(a, scope) === addressKey(b, scope)
          expect(addressHash(a, scope, 7) === addressHash(b, scope, 7), `${a} ${b}`).toBe(isOne)
        }
      }),
      { numRuns: 2000 },
    )
  })

  it('is that of a range, /24 or /48 for IPv6, or of an address, the /64 for IPv6', ({
    expect,
  }) => {
    const same = (scope: 'ip' | 'range', a: string, b: string) =>
      addressHash(a, scope, 7) === addressHash(b, scope, 7)
    expect(same('range', '203.0.113.1', '203.0.113.254')).toBe(true)
    expect(same('range', '203.0.113.1', '203.0.11.31')).toBe(false)
    expect(same('ip', '203.0.113.1', '203.0.113.254')).toBe(false)
    expect(same('range', '2001:db8::1', '2001:db8:0:ffff::2')).toBe(true)
    expect(same('range', '2001:db8::1', '2001:db8:1::1')).toBe(false)
    expect(same('ip', '2001:db8::1', '2001:DB8:0:0:a:b:c:d')).toBe(true)
    expect(same('ip', '2001:db8::1', '2001:db8:0:1::1')).toBe(false)
    expect(same('ip', '::1', '::2')).toBe(true)
    expect(same('ip', '1::', '1:0:0:0:5:6:7:8')).toBe(true)
    expect(same('ip', '1:2::4:5:6:7:8', '1:2:0:4::')).toBe(true)
    expect(same('ip', 'fe80::1%eth0', 'fe80::2')).toBe(true)
  })

  it('recognises an IPv4 address in the notation of a dual-stack socket', ({ expect }) => {
    for (const scope of SCOPES)
      expect(addressHash('::ffff:203.0.113.9', scope, 7)).toBe(addressHash('203.0.113.9', scope, 7))
  })

  it('exists for text that is not an address, too', ({ expect }) => {
    const hashes = ['unknown', '', 'localhost', '203.0.113.9'].map((ip) =>
      addressHash(ip, 'range', 7),
    )
    expect(new Set(hashes).size).toBe(4)
  })

  it('depends on the seed, so that no client can choose addresses with the same hash', ({
    expect,
  }) => {
    expect(addressHash('203.0.113.9', 'ip', 1)).not.toBe(addressHash('203.0.113.9', 'ip', 2))
    expect(addressHash('2001:db8::1', 'ip', 1)).not.toBe(addressHash('2001:db8::1', 'ip', 2))
  })
})
