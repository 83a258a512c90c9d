import { describe, it } from 'vitest'
import { drainsAfter, poolWithDrain, weightOf } from '../../src/coordinator/pool-change.ts'
import type { PoolServer } from '../../src/protocol/feedback.ts'

const A = 'https://a.example.com'
const B = 'https://b.example.com'
const POOL: readonly PoolServer[] = [
  { url: A, weight: 1 },
  { url: B, weight: 3 },
]
const DRAIN = { sinceMs: 0, untilMs: 600_000, how: 'measured' } as const
const DRAINING = poolWithDrain(POOL, A, DRAIN) as readonly PoolServer[]
const asked = (requests: number) => ({ [A]: { tries: requests, failures: 0, requests } })

describe('a server that is taken out of a pool', () => {
  it('is no capacity for new sessions: 3 of the weight of 4 are left', ({ expect }) => {
    const setup = (servers: readonly PoolServer[]) =>
      ({ servers }) as Parameters<typeof weightOf>[0]
    expect(weightOf(setup(POOL))).toBe(4)
    expect(weightOf(setup(DRAINING))).toBe(3)
  })

  it('must be in the pool, and must leave another one', ({ expect }) => {
    expect(poolWithDrain(POOL, 'https://x.example.com', DRAIN)).toMatch(/There is no server/)
    expect(poolWithDrain(DRAINING, B, DRAIN)).toMatch(/No other server/)
  })

  it('leaves a minute after its last request, where the ramp-down is measured', ({ expect }) => {
    const busy = drainsAfter(DRAINING, asked(3), {}, 50_000)
    expect(busy).toMatchObject({ pool: null, lastRequests: { [A]: 50_000 } })
    expect(drainsAfter(DRAINING, {}, busy.lastRequests, 109_999).pool).toBeNull()
    const { pool, drained } = drainsAfter(DRAINING, {}, busy.lastRequests, 110_000)
    expect(pool).toEqual([POOL[1]])
    expect(drained.map(({ url }) => url)).toEqual([A])
  })

  it('leaves at its deadline, even if it is busy', ({ expect }) => {
    expect(drainsAfter(DRAINING, asked(3), {}, 600_000).pool).toEqual([POOL[1]])
  })

  it('stays until the deadline at a fixed rate, even if it is quiet', ({ expect }) => {
    const fixed = poolWithDrain(POOL, A, { ...DRAIN, how: 'fixed' }) as readonly PoolServer[]
    expect(drainsAfter(fixed, {}, {}, 599_999).pool).toBeNull()
    expect(drainsAfter(fixed, {}, {}, 600_000).pool).toEqual([POOL[1]])
  })
})
