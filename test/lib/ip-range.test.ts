import fc from 'fast-check'
import { describe, it } from 'vitest'
import { ipMatcher, parseIp, parseRange } from '../../src/lib/ip-range.ts'

const isIn = (range: string, ip: string): boolean => ipMatcher([range])(ip)

describe('IPv4 ranges', () => {
  it('contain the addresses between their ends: 10.1.0.0/16', ({ expect }) => {
    expect(isIn('10.1.0.0/16', '10.1.0.0')).toBe(true)
    expect(isIn('10.1.0.0/16', '10.1.255.255')).toBe(true)
    expect(isIn('10.1.0.0/16', '10.0.255.255')).toBe(false)
    expect(isIn('10.1.0.0/16', '10.2.0.0')).toBe(false)
  })

  it('may be a single address, everything, or be given by any address inside', ({ expect }) => {
    expect(isIn('192.0.2.7', '192.0.2.7')).toBe(true)
    expect(isIn('192.0.2.7', '192.0.2.8')).toBe(false)
    expect(isIn('0.0.0.0/0', '203.0.113.9')).toBe(true)
    expect(isIn('0.0.0.0/0', '2001:db8::1')).toBe(false)
    expect(isIn('10.1.2.3/8', '10.200.0.1')).toBe(true)
  })

  it('contain exactly 2^(32 − bits) addresses', ({ expect }) => {
    const address = fc.integer({ min: 0, max: 2 ** 32 - 1 })
    const dotted = (n: number): string =>
      [n >>> 24, (n >>> 16) & 255, (n >>> 8) & 255, n & 255].join('.')
    fc.assert(
      fc.property(address, fc.integer({ min: 0, max: 32 }), address, (base, bits, ip) => {
        const size = 2 ** (32 - bits)
        const same = Math.floor(base / size) === Math.floor(ip / size)
        expect(isIn(`${dotted(base)}/${bits}`, dotted(ip))).toBe(same)
      }),
    )
  })
})

describe('IPv6 ranges', () => {
  it('contain the addresses between their ends: 2001:db8::/32', ({ expect }) => {
    expect(isIn('2001:db8::/32', '2001:db8::1')).toBe(true)
    expect(isIn('2001:db8::/32', '2001:DB8:ffff:ffff:ffff:ffff:ffff:ffff')).toBe(true)
    expect(isIn('2001:db8::/32', '2001:db9::')).toBe(false)
    expect(isIn('2001:db8::/32', '2001:db7:ffff::')).toBe(false)
  })

  it('recognise an address in all its notations', ({ expect }) => {
    for (const ip of ['::1', '0:0:0:0:0:0:0:1', '0000::0001', '0:0::0:1', '::0.0.0.1'])
      expect(isIn('::1', ip), ip).toBe(true)
  })

  it('may end at any bit: fe80::/10', ({ expect }) => {
    expect(isIn('fe80::/10', 'febf::1')).toBe(true)
    expect(isIn('fe80::/10', 'fec0::1')).toBe(false)
  })
})

describe('IPv4 inside IPv6', () => {
  it('is the same address, mapped or not', ({ expect }) => {
    expect(isIn('10.0.0.0/8', '::ffff:10.1.2.3')).toBe(true)
    expect(isIn('10.0.0.0/8', '::ffff:a01:203')).toBe(true)
    expect(isIn('::ffff:10.0.0.0/104', '10.1.2.3')).toBe(true)
    expect(isIn('::ffff:10.0.0.0/104', '11.1.2.3')).toBe(false)
  })

  it('is not the address without the mapping', ({ expect }) => {
    expect(isIn('10.0.0.0/8', '::10.1.2.3')).toBe(false)
  })
})

describe('an invalid address', () => {
  const BAD_IPS = [
    ...['', '.', '1.2.3', '1.2.3.4.5', '256.1.1.1', '1.2.3.-4', '1.2.3.x', ' 1.2.3.4', '0x1.2.3.4'],
    ...[':', ':::', '1::2::3', '1:2:3:4:5:6:7', '1:2:3:4:5:6:7:8:9', '1:2:3:4:5:6:7:8::', 'g::1'],
    ...[
      ':1:2:3:4:5:6:7',
      '1:2:3:4:5:6:7:',
      '12345::',
      '::1%eth0',
      '[::1]',
      '::1.2.3',
      '1.2.3.4:80',
    ],
  ]
  for (const ip of BAD_IPS)
    it(`is in no range: "${ip}"`, ({ expect }) => {
      expect(parseIp(ip)).toBeNull()
      expect(ipMatcher(['0.0.0.0/0', '::/0'])(ip)).toBe(false)
    })

  const BAD_RANGES = ['10.0.0.0/33', '::/129', '10.0.0.0/', '10.0.0.0/-1', '10.0.0.0/8/8', '/8']
  for (const range of BAD_RANGES)
    it(`makes a range that contains nothing: "${range}"`, ({ expect }) => {
      expect(parseRange(range)).toBeNull()
      expect(isIn(range, '10.0.0.1')).toBe(false)
    })

  it('does not change the other ranges', ({ expect }) => {
    expect(ipMatcher(['nonsense', '10.0.0.0/8'])('10.0.0.1')).toBe(true)
  })
})
