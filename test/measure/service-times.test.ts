import fc from 'fast-check'
import { describe, it } from 'vitest'
import { serverUseOf } from '../../src/measure/server-timing.ts'
import { keyOf, type Served, ServiceTimes } from '../../src/measure/service-times.ts'

const QUIET = 0
const BUSY = 9
const times = <T>(n: number, run: (i: number) => T) => Array.from({ length: n }, (_, i) => run(i))
const served = (given: Partial<Served>): Served => ({
  route: 'shop',
  path: '/cart',
  responseMs: 100,
  use: null,
  inFlight: QUIET,
  ...given,
})

describe('learned service times (Urgaonkar and Shenoy 2005, §3.5)', () => {
  it('take the response time at low load, decayed: 100, then 0.9 × 100 + 0.1 × 200', ({
    expect,
  }) => {
    const known = new ServiceTimes()
    known.observe(served({ responseMs: 100 }))
    expect(known.estimateMs('shop', '/cart')).toBe(100)
    known.observe(served({ responseMs: 200 }))
    expect(known.estimateMs('shop', '/cart')).toBeCloseTo(110, 9)
  })

  it('are R_cpu + α R_data if the origin sends both (eq. 2), with α = 1 at first', ({ expect }) => {
    const known = new ServiceTimes()
    known.observe(served({ use: { cpuMs: 12, dataMs: 30 }, responseMs: 900, inFlight: BUSY }))
    expect(known.estimateMs('shop', '/cart')).toBe(42)
  })

  it('fit α to requests at low load: half of the data time is in the response', ({ expect }) => {
    const known = new ServiceTimes()
    times(2000, (i) => {
      const [cpuMs, dataMs] = [5 + (i % 7), 20 + ((i * 13) % 80)]
      known.observe(served({ use: { cpuMs, dataMs }, responseMs: cpuMs + 0.5 * dataMs }))
    })
    expect(known.alpha).toBeCloseTo(0.5, 3)
  })

  it('do not fit α to requests that shared their server', ({ expect }) => {
    const known = new ServiceTimes()
    times(2000, () => {
      const use = { cpuMs: 5, dataMs: 50 }
      known.observe(served({ use, responseMs: 900, inFlight: BUSY }))
    })
    expect(known.alpha).toBe(1)
  })

  it('divide by the load if no request had the server to itself: 400 ms among ten are 40', ({
    expect,
  }) => {
    const known = new ServiceTimes()
    known.observe(served({ responseMs: 400, inFlight: BUSY }))
    expect(known.estimateMs('shop', '/cart')).toBe(40)
    known.observe(served({ responseMs: 25 }))
    expect(known.estimateMs('shop', '/cart')).toBe(25)
  })

  it('do not rise during an overload', ({ expect }) => {
    const known = new ServiceTimes()
    known.observe(served({ responseMs: 50 }))
    times(1000, () => known.observe(served({ responseMs: 3000, inFlight: BUSY })))
    expect(known.estimateMs('shop', '/cart')).toBe(50)
  })

  it('fall when even a busy server answers faster', ({ expect }) => {
    const known = new ServiceTimes()
    known.observe(served({ responseMs: 500 }))
    times(100, () => known.observe(served({ responseMs: 80, inFlight: BUSY })))
    expect(known.estimateMs('shop', '/cart')).toBeCloseTo(80, 1)
  })

  it('follow an origin that stops sending Server-Timing, after fifty responses', ({ expect }) => {
    const known = new ServiceTimes()
    known.observe(served({ use: { cpuMs: 5, dataMs: 0 } }))
    times(50, () => known.observe(served({ responseMs: 70 })))
    expect(known.estimateMs('shop', '/cart')).toBe(5)
    known.observe(served({ responseMs: 70 }))
    expect(known.estimateMs('shop', '/cart')).toBe(70)
  })

  it('use the mean of the route for an unknown path', ({ expect }) => {
    const known = new ServiceTimes()
    expect(known.estimateMs('shop', '/new')).toBeNull()
    times(50, () => known.observe(served({ path: '/a', responseMs: 40 })))
    expect(known.estimateMs('shop', '/new')).toBe(40)
    expect(known.estimateMs('other', '/new')).toBeNull()
  })

  it('drop the paths seen once first, so that a scan does not push out the regular ones', ({
    expect,
  }) => {
    const known = new ServiceTimes(100)
    times(2, () => known.observe(served({ path: '/cart', responseMs: 33 })))
    times(10_000, (i) => known.observe(served({ path: `/probe-${i}`, responseMs: 1 })))
    expect(known.measuredMs('shop', '/probe-0')).toBeNull()
    expect(known.estimateMs('shop', '/cart')).toBe(33)
  })

  it('ignore response times that are not valid', ({ expect }) => {
    const known = new ServiceTimes()
    for (const responseMs of [Number.NaN, -1, Infinity]) known.observe(served({ responseMs }))
    expect(known.estimateMs('shop', '/cart')).toBeNull()
  })
})

describe('the key of a service time', () => {
  it('has no query, and `*` for segments that are numbers or ids', ({ expect }) => {
    const key = keyOf('shop', '/items/*/reviews')
    expect(keyOf('shop', '/items/8151/reviews?page=2')).toBe(key)
    expect(keyOf('shop', '/items/5f0c9c1e-8a4b-4a5e-9d27-3f1f0a8c7b21/reviews')).toBe(key)
    expect(keyOf('shop', '/items/42/reviews;v=1#top')).toBe(key)
  })

  it('keeps names, and differs from route to route', ({ expect }) => {
    expect(keyOf('shop', '/deadbeef')).toBe('shop /deadbeef')
    expect(keyOf('shop', '/v2/search')).toBe('shop /v2/search')
    expect(keyOf('api', '/search')).not.toBe(keyOf('shop', '/search'))
  })
})

describe('Server-Timing', () => {
  it('gives processor time and data time', ({ expect }) => {
    expect(serverUseOf('cpu;dur=12.5, db;dur=30, redis;dur=2')).toEqual({ cpuMs: 12.5, dataMs: 32 })
  })

  it('may have descriptions with commas, quotes and semicolons', ({ expect }) => {
    const header = 'db;desc="users, by \\"id\\"; dur=9";dur=30 , CPU ; dur="4"'
    expect(serverUseOf(header)).toEqual({ cpuMs: 4, dataMs: 30 })
  })

  it('gives nothing if it has no known metric', ({ expect }) => {
    for (const header of ['', 'total;dur=80', 'miss', 'cdn-cache; desc=HIT', 'cpu;dur=x'])
      expect(serverUseOf(header)).toEqual({ cpuMs: null, dataMs: 0 })
  })

  it('gives valid numbers for any header', ({ expect }) => {
    const piece = fc.constantFrom('cpu', 'db', ';', ',', '"', '\\', 'dur=', '1e9', '-1', ' ', 'é')
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        const { cpuMs, dataMs } = serverUseOf(pieces.join(''))
        expect(dataMs).toBeGreaterThanOrEqual(0)
        if (cpuMs !== null) expect(cpuMs).toBeGreaterThanOrEqual(0)
      }),
    )
  })
})
