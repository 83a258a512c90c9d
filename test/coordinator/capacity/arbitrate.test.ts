import * as fc from 'fast-check'
import { describe, it } from 'vitest'
import { arbitrate, type Claim } from '../../../src/coordinator/capacity/arbitrate.ts'

const one = (name: string, classes: Claim['classes'], rate = 10, min = 1, max = 100): Claim => ({
  name,
  requestsPerSession: 1,
  tiers: [{ name: 'web', rate, visits: 1, min, max }],
  classes,
})
const serversOf = (available: number, claims: readonly Claim[]) =>
  arbitrate(available, claims).map(({ servers }) => Object.values(servers))

describe('arbitration (Urgaonkar et al. 2008, §5.1; Urgaonkar and Shenoy 2005, §4.1)', () => {
  it('gives everybody what they need while there is enough', ({ expect }) => {
    const claims = [
      one('shop', [{ value: 10, rate: 45, guaranteed: 0 }]),
      one('blog', [{ value: 1, rate: 25, guaranteed: 0 }]),
    ]
    expect(serversOf(20, claims)).toEqual([[5], [3]])
    expect(arbitrate(20, claims).map(({ isShort }) => isShort)).toEqual([false, false])
  })

  /**
   * By hand, with 10 sessions/s for each server and 8 servers. Shop: 20/s gold at 10, 40/s bronze at 2.
   * Blog: 30/s at 3, of which 10/s are guaranteed. News: 50/s at 1, of which 20/s are guaranteed.
   *
   * Minimum: one each, 5 left. Shop's server earns 100, blog's 30 (its guarantee), news' 10.
   * Guarantees: news needs a second server, 4 left.
   * The rest by what the next server earns: shop 100 (gold), then blog 30, then blog 30, then shop 20 (bronze). 0 left.
   * News would earn 10. So: shop 3, blog 3, news 2.
   */
  it('keeps guarantees first, then serves the best earner, worked out by hand', ({ expect }) => {
    const claims = [
      one('shop', [
        { value: 10, rate: 20, guaranteed: 0 },
        { value: 2, rate: 40, guaranteed: 0 },
      ]),
      one('blog', [{ value: 3, rate: 30, guaranteed: 10 }]),
      one('news', [{ value: 1, rate: 50, guaranteed: 20 }]),
    ]
    expect(serversOf(8, claims)).toEqual([[3], [3], [2]])
    // With one server fewer, the bronze class of the shop gets none.
    expect(serversOf(7, claims)).toEqual([[2], [3], [2]])
    // With five, only minimum, guarantee and gold are left.
    expect(serversOf(5, claims)).toEqual([[2], [1], [2]])
  })

  it('is that of Cataclysm, Fig. 7: of 11 servers, 3 stay with the quiet application', ({
    expect,
  }) => {
    const busy = one('first', [{ value: 1, rate: 1600, guaranteed: 0 }], 60, 3)
    const quiet = one('second', [{ value: 1, rate: 100, guaranteed: 0 }], 60, 3)
    expect(serversOf(11, [busy, quiet])).toEqual([[8], [3]])
  })

  it('counts the servers of all tiers that one more session needs', ({ expect }) => {
    // Each 10 sessions/s need a web server and two application servers: three servers for 10 × 3 = 30 earned.
    const wide: Claim = {
      name: 'wide',
      requestsPerSession: 1,
      tiers: [
        { name: 'web', rate: 10, visits: 1, min: 1, max: 9 },
        { name: 'app', rate: 5, visits: 1, min: 2, max: 9 },
      ],
      classes: [{ value: 3, rate: 30, guaranteed: 0 }],
    }
    const narrow = one('narrow', [{ value: 2, rate: 30, guaranteed: 0 }])
    // Left after the minimum: 3. narrow earns 20 per server, wide 30 / 3 = 10 (its app tier first: 5 × 3 / 2 = 7.5).
    expect(serversOf(7, [wide, narrow])).toEqual([[1, 2], [3]])
  })

  it('stops where a tier cannot grow', ({ expect }) => {
    const withDatabase: Claim = {
      name: 'auction',
      requestsPerSession: 1,
      tiers: [
        { name: 'app', rate: 10, visits: 1, min: 1, max: 9 },
        { name: 'db', rate: 25, visits: 1, min: 1, max: 1 },
      ],
      classes: [{ value: 1, rate: 90, guaranteed: 0 }],
    }
    const [grant] = arbitrate(20, [withDatabase])
    expect(grant).toEqual({
      name: 'auction',
      servers: { app: 3, db: 1 },
      carries: 25,
      isShort: true,
    })
  })

  const anyClaim = fc.record({
    name: fc.string(),
    requestsPerSession: fc.double({ min: 1, max: 20, noNaN: true }),
    tiers: fc
      .array(
        fc.record({
          name: fc.constantFrom('a', 'b', 'c'),
          rate: fc.double({ min: 0.1, max: 100, noNaN: true }),
          visits: fc.double({ min: 0.1, max: 3, noNaN: true }),
          min: fc.integer({ min: 1, max: 3 }),
          max: fc.integer({ min: 3, max: 20 }),
        }),
        { minLength: 1, maxLength: 3 },
      )
      .map((tiers) => tiers.map((tier, i) => ({ ...tier, name: `${tier.name}${i}` }))),
    classes: fc.array(
      fc.record({
        value: fc.double({ min: 0, max: 100, noNaN: true }),
        rate: fc.double({ min: 0, max: 100, noNaN: true }),
        guaranteed: fc.double({ min: 0, max: 50, noNaN: true }),
      }),
      { maxLength: 3 },
    ),
  })

  it('never gives more than there is, nor more than a tier can use', ({ expect }) => {
    fc.assert(
      fc.property(
        fc.array(anyClaim, { maxLength: 5 }),
        fc.integer({ min: 0, max: 60 }),
        (claims, available) => {
          const grants = arbitrate(available, claims)
          const given = grants.flatMap(({ servers }) => Object.values(servers))
          expect(given.reduce((sum, n) => sum + n, 0)).toBeLessThanOrEqual(available)
          for (const [i, { servers }] of grants.entries())
            for (const { name, max } of claims[i]!.tiers)
              expect(servers[name]).toBeLessThanOrEqual(max)
        },
      ),
    )
  })
})
