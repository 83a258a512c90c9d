import fc from 'fast-check'
import { describe, it } from 'vitest'
import { type Flow, isFlow, NO_FLOW, observeFlow } from '../../../src/learners/soc-lqr/flow.ts'
import type { Tick } from '../../../src/learners/soc-lqr/tick.ts'
import { SECOND, TIMES } from '../../support/soc-lqr-parts.ts'

const CAPACITY = 100
const see = (before: Flow, tick: Partial<Tick>, capacity: number | null = CAPACITY, cap = false) =>
  observeFlow(before, { ...SECOND, ...tick }, TIMES, capacity, cap)

/** An origin of 100/s with this many inside, all of which wait their turn: R = N/X. */
const holding = (inside: number): Flow => ({
  ...NO_FLOW,
  inside,
  goodput: CAPACITY,
  recentS: inside / CAPACITY,
})
/** A second of it: by Little's law N is also the sum of the response times of a second. */
const queued = (inside: number): Partial<Tick> => ({
  inFlight: inside,
  latencyS: inside,
})

describe('Little’s law', () => {
  it('gives the wait of who comes now: W = N/X − S0', ({ expect }) => {
    fc.assert(
      fc.property(fc.integer({ min: 10, max: 2000 }), (inside) => {
        const { waitS } = see(holding(inside), queued(inside))
        expect(waitS).toBeCloseTo(inside / CAPACITY - TIMES.meanS, 9)
      }),
    )
  })

  it('counts the mean of a tick as inside even where its end is empty: N = X R', ({ expect }) => {
    const { flow } = see(NO_FLOW, { latencyS: 30, inFlight: 0 })
    expect(flow.inside).toBeCloseTo(30, 9)
  })

  it('sees no backlog while nothing waits, and one while more than the slack waits', ({
    expect,
  }) => {
    expect(see(holding(10), queued(10)).flow.backlogged).toBe(0)
    const long = see(holding(200), queued(200))
    expect(long.waitS).toBeGreaterThan(TIMES.slackS)
    expect(long.flow.backlogged).toBe(1)
    expect(see(long.flow, queued(200)).flow.backlogged).toBe(2)
  })

  it('has a backlog last until less than half of the slack waits', ({ expect }) => {
    const lasting = { ...holding(60), backlogged: 3 }
    expect(see(lasting, queued(60)).flow.backlogged).toBe(4)
    expect(see(holding(60), queued(60)).flow.backlogged).toBe(0)
    expect(see({ ...lasting, inside: 15 }, queued(15)).flow.backlogged).toBe(0)
  })
})

describe('saturation: requests waited all the time', () => {
  it('shows by a queue at the start of a tick that what came kept up', ({ expect }) => {
    expect(see(holding(60), queued(60)).saturated).toBe(true)
  })

  it('does not show by a queue that was let run out', ({ expect }) => {
    const { saturated } = see(holding(60), { ...queued(10), requests: 20, served: 70 })
    expect(saturated).toBe(false)
  })

  it('shows by a queue that is still there at the end, however fast the origin was believed to be', ({
    expect,
  }) => {
    expect(see(holding(60), { ...queued(50), requests: 40, served: 50 }, 200).saturated).toBe(true)
  })

  it('does not show by a queue at the end alone: that would choose ticks in which little was served', ({
    expect,
  }) => {
    expect(see(holding(10), { ...queued(60), latencyS: 40 }).saturated).toBe(false)
  })

  it('does not show in calm', ({ expect }) => {
    expect(see(holding(10), {}).saturated).toBe(false)
  })

  it('is not taken for a measurement while the origin may work for clients that have left', ({
    expect,
  }) => {
    expect(see({ ...holding(60), orphans: 5 }, queued(60)).saturated).toBe(false)
    expect(see(holding(60), { ...queued(60), abandoned: 50 }).saturated).toBe(false)
    // Before anything is known, the bounds of such a measurement are better than nothing.
    const unknown = see({ ...holding(60), orphans: 5 }, queued(60), null)
    expect(unknown.saturated).toBe(true)
  })
})

describe('at the cap', () => {
  const waiting = { ...queued(30), refusing: true }

  it('is an origin that refuses and whose requests wait: what is refused fills every gap', ({
    expect,
  }) => {
    const { atCap, saturated } = see(holding(30), waiting, CAPACITY, true)
    expect([atCap, saturated]).toEqual([true, true])
  })

  it.for([
    ['without a cap', waiting, false],
    ['where nobody is refused', { ...waiting, refusing: false }, true],
    ['where nothing waits', { refusing: true, inFlight: 10 }, true],
  ] as const)('is none %s', ([, tick, hasCap], { expect }) => {
    const { atCap } = see(holding(tick.inFlight ?? 0), tick, CAPACITY, hasCap)
    expect(atCap).toBe(false)
  })
})

describe('work for clients that have left', () => {
  /** The origin serves so many of 100/s, and this many give up. */
  const left = (orphans: number, served: number, abandoned: number) =>
    see({ ...NO_FLOW, orphans }, { served, abandoned, latencyS: served / 10 }).flow.orphans

  it('is done where all are answered in time: they have waited for nothing of it', ({ expect }) => {
    const before = { ...NO_FLOW, orphans: 500 }
    const inTime = { served: 1, abandoned: 0, latencyS: TIMES.targetS }
    expect(see(before, inTime).flow.orphans).toBe(0)
    expect(see(before, { ...inTime, latencyS: 1.1 * TIMES.targetS }).flow.orphans).toBeGreaterThan(
      0,
    )
    expect(see(before, { ...inTime, abandoned: 1 }).flow.orphans).toBeGreaterThan(0)
  })

  it('is worked off with the capacity that is spare, while more are answered than give up', ({
    expect,
  }) => {
    fc.assert(
      fc.property(fc.nat(150), fc.integer({ min: 2, max: 50 }), (before, served) => {
        const spare = CAPACITY - served
        const done = Math.max(spare, before / 2)
        expect(left(before, served, served - 1)).toBe(Math.max(0, before + served - 1 - done))
      }),
    )
  })

  it('piles up while no more are answered than give up: nobody knows how much of it is done', ({
    expect,
  }) => {
    fc.assert(
      fc.property(fc.nat(500), fc.nat(200), (before, served) => {
        expect(left(before, served, served + 1)).toBe(before + served + 1)
        expect(left(before, 0, 0)).toBe(before)
      }),
    )
  })

  it('is none where the origin serves at its capacity: it has no time for such work', ({
    expect,
  }) => {
    expect(left(500, 100, 50)).toBe(0)
    expect(left(500, 130, 50)).toBe(0)
  })

  it('is inside, and who comes now waits for it too', ({ expect }) => {
    const late = { served: 50, latencyS: 100 * TIMES.targetS }
    const { flow, waitS } = see({ ...holding(10), orphans: 80 }, late)
    expect(flow.orphans).toBe(30)
    expect(flow.inside).toBe(10 + 30)
    expect(waitS).toBeGreaterThan(see(holding(10), late).waitS)
  })
})

it('stays a flow, and never has a wait below minus S0, whatever it is shown', ({ expect }) => {
  const amount = fc.oneof(fc.constant(0), fc.double({ min: 0, max: 1e5, noNaN: true }))
  const tick = fc.record({
    seconds: fc.double({ min: 0.01, max: 1e3, noNaN: true }),
    requests: amount,
    served: fc.nat(10_000),
    abandoned: amount,
    latencyS: amount,
    inFlight: fc.nat(10_000),
    refusing: fc.boolean(),
  })
  const capacity = fc.oneof(fc.constant(null), fc.double({ min: 0.1, max: 1e5, noNaN: true }))
  fc.assert(
    fc.property(fc.array(tick, { maxLength: 30 }), capacity, fc.boolean(), (ticks, rate, cap) => {
      let flow = NO_FLOW
      for (const next of ticks) {
        const seen = see(flow, next, rate, cap)
        flow = seen.flow
        expect(isFlow(flow)).toBe(true)
        expect(seen.waitS).toBeGreaterThanOrEqual(-TIMES.meanS)
      }
    }),
  )
})
