import fc from 'fast-check'
import { describe, it } from 'vitest'
import { type Demand, NO_DEMAND } from '../../../src/learners/soc-lqr/demand.ts'
import { NO_PIPE } from '../../../src/learners/soc-lqr/forecast.ts'
import type { Foreseen, Kernel } from '../../../src/learners/soc-lqr/kernel.ts'
import { capOf } from '../../../src/learners/soc-lqr/operating-point.ts'
import { SOC_LQR_OPTIONS } from '../../../src/learners/soc-lqr/options.ts'
import {
  type CourseGround,
  requestCourse,
  sessionCourse,
} from '../../../src/learners/soc-lqr/steer.ts'
import { resolveOptions } from '../../../src/lib/option-table.ts'
import { AGE_BUCKETS, ageBucketFromS } from '../../../src/lib/session-age-buckets.ts'
import { SECOND, TIMES } from '../../support/soc-lqr-parts.ts'

/** 0.1 requests a second up to a minute: M = 6, D = 30 s. */
const MINUTE: Kernel = {
  rates: Array.from({ length: AGE_BUCKETS }, (_, bucket) => (bucket < 32 ? 0.1 : 0)),
  perSession: 6,
  meanAgeS: 30,
  watched: 1,
  settled: true,
}

/** L = 12/s, so that λ* = L/M = 2 sessions a second. */
const GROUND: CourseGround = {
  tick: { ...SECOND, onSessions: true, offeredSessions: 100 },
  times: { ...TIMES, meanS: 1, slackS: 2, targetS: 5, tailS: 3 },
  load: 12,
  capacity: 12,
  inside: 0,
  orphans: 0,
  pipe: NO_PIPE,
}
const SETTLED = 2
const OPTIONS = resolveOptions(SOC_LQR_OPTIONS, {})

/** Sessions admitted each second of the last minutes. */
const admitted = (perSecond: number, seconds = 200): Demand => ({
  ...NO_DEMAND,
  admissions: Array.from({ length: seconds }, () => [1, perSecond]).flat(),
})
const foreseen = (demand: Demand, bias = 1, kernel = MINUTE, held = 0): Foreseen => ({
  sessions: { demand, bias, held },
  kernel,
})
const limitOf = (demand: Demand, ground: Partial<CourseGround> = {}, bias = 1) =>
  sessionCourse({ ...GROUND, ...ground }, foreseen(demand, bias), OPTIONS).limit

describe('new sessions per second from the load that the origin may get', () => {
  it('are λ* = L/M in steady state: nothing is missing, nothing too much', ({ expect }) => {
    expect(Math.abs(limitOf(admitted(SETTLED)) / SETTLED - 1)).toBeLessThan(0.1)
  })

  it('keep an origin at its load: sessions admitted by the limit bring L requests a second', ({
    expect,
  }) => {
    let demand: Demand = NO_DEMAND
    const limits: number[] = []
    for (let second = 0; second < 600; second++) {
      const limit = limitOf(demand)
      limits.push(limit)
      demand = { ...demand, admissions: [1, limit, ...demand.admissions].slice(0, 2 * 120) }
    }
    // The requests of a second: 0.1 of each of the sessions of the last minute.
    const load = (at: number) => 0.1 * limits.slice(at - 60, at).reduce((a, b) => a + b, 0)
    for (let at = 200; at < 600; at += 20) expect(Math.abs(load(at) / 12 - 1)).toBeLessThan(0.1)
    expect(Math.max(...limits.map((_, at) => (at < 60 ? 0 : load(at))))).toBeLessThan(12 * 1.25)
  })

  it('are more where the origin is empty, and few where twice as much was admitted', ({
    expect,
  }) => {
    expect(limitOf(NO_DEMAND)).toBeGreaterThan(1.5 * SETTLED)
    expect(limitOf(admitted(2 * SETTLED))).toBeLessThan(0.1 * SETTLED)
  })

  it('forget sessions that are done', ({ expect }) => {
    const old: Demand = { ...NO_DEMAND, admissions: [ageBucketFromS(33), 0, 10, 500] }
    expect(limitOf(old)).toBeCloseTo(limitOf(NO_DEMAND), 9)
  })

  it('are no more with a larger backlog, a larger bias, or more sessions inside', ({ expect }) => {
    const amount = fc.double({ min: 0, max: 1000, noNaN: true })
    const rate = fc.double({ min: 0, max: 6, noNaN: true })
    fc.assert(
      fc.property(amount, amount, rate, rate, (a, b, x, y) => {
        const [less, more] = [Math.min(a, b), Math.max(a, b)]
        const demand = admitted(x)
        const of = (inside: number) => limitOf(demand, { inside })
        expect(of(more)).toBeLessThanOrEqual(of(less) + 1e-9)
        expect(limitOf(demand, {}, 1.3)).toBeLessThanOrEqual(limitOf(demand) + 1e-9)
        const [few, many] = [admitted(Math.min(x, y)), admitted(Math.max(x, y))]
        expect(limitOf(many)).toBeLessThanOrEqual(limitOf(few) + 1e-9)
      }),
    )
  })

  it('pay a backlog back: a debt of minutes of work leaves the least part only', ({ expect }) => {
    const calm = limitOf(admitted(SETTLED))
    const owing = limitOf(admitted(SETTLED), { inside: 60 })
    expect(owing).toBeLessThan(calm)
    const deep = limitOf(admitted(SETTLED), { inside: 5000 })
    expect(deep).toBeGreaterThan(0)
    expect(deep).toBeLessThan(0.1 * SETTLED)
  })

  it('leave room for what a queue has held up', ({ expect }) => {
    const limit = (held: number) =>
      sessionCourse(GROUND, foreseen(admitted(SETTLED), 1, MINUTE, held), OPTIONS).limit
    expect(limit(10)).toBeLessThan(limit(0))
    expect(limit(20)).toBeLessThan(limit(10))
  })

  it('count what was decided and does not show yet', ({ expect }) => {
    const pipe = { deadS: 4, decided: [1, 20, 1, 20, 1, 20, 1, 20] }
    expect(limitOf(admitted(SETTLED), { pipe })).toBeLessThan(limitOf(admitted(SETTLED)))
  })

  it('stay between a least part of λ* and a few times λ* for any sessions, kernel and backlog', ({
    expect,
  }) => {
    const amount = fc.double({ min: 0, max: 1e4, noNaN: true })
    const slots = fc.array(fc.tuple(fc.double({ min: 0.01, max: 600, noNaN: true }), amount), {
      maxLength: 30,
    })
    const rates = fc
      .array(fc.oneof(fc.constant(0), amount), { minLength: AGE_BUCKETS, maxLength: AGE_BUCKETS })
      .map((all) => [Math.max(all[0]!, 1e-3), ...all.slice(1)])
    const life = fc.record({
      perSession: fc.double({ min: 0.1, max: 1000, noNaN: true }),
      meanAgeS: fc.double({ min: 0.1, max: 5000, noNaN: true }),
    })
    const load = fc.double({ min: 1e-3, max: 1e5, noNaN: true })
    fc.assert(
      fc.property(slots, rates, life, load, amount, (admissions, h, of, given, inside) => {
        const demand = { ...NO_DEMAND, admissions: admissions.flat() }
        const kernel = { ...MINUTE, ...of, rates: h }
        const ground = { ...GROUND, load: given, capacity: given, inside }
        const { limit, burst } = sessionCourse(ground, foreseen(demand, 1, kernel), OPTIONS)
        const part = (limit / given) * of.perSession
        expect(part).toBeGreaterThan(0.001)
        expect(part).toBeLessThan(10)
        expect(burst).toBeGreaterThanOrEqual(1)
      }),
    )
  })

  it('have no cap: a known session is never refused', ({ expect }) => {
    expect(sessionCourse(GROUND, foreseen(admitted(2)), OPTIONS).cap).toBeNull()
  })
})

describe('requests without sessions', () => {
  const REQUESTS: CourseGround = {
    tick: SECOND,
    times: TIMES,
    load: 90,
    capacity: 100,
    inside: 10,
    orphans: 0,
    pipe: NO_PIPE,
  }
  const courseOf = (ground: Partial<CourseGround> = {}, trim = 1) =>
    requestCourse({ ...REQUESTS, ...ground }, trim, OPTIONS)

  it('are held by the cap, and the rate is out of its way', ({ expect }) => {
    const { cap, limit } = courseOf()
    expect(cap).toBe(capOf(100, 1, TIMES, OPTIONS.floor))
    expect(limit).toBeGreaterThan(100)
  })

  it('get in one at a time while the origin works for clients that have left: an answer shows that it has done', ({
    expect,
  }) => {
    for (const capacity of [100, null]) {
      const { cap, limit } = courseOf({ capacity, orphans: 500 })
      expect(cap).toBe(1)
      expect(limit).toBeLessThan(0.1 * REQUESTS.load)
      expect(limit).toBeGreaterThan(0)
      expect(courseOf({ capacity, orphans: 5 }).cap).toBeGreaterThan(1)
    }
  })

  it('are held by the rate among classes of different value: a cap does not ask for value', ({
    expect,
  }) => {
    expect(courseOf({ tick: { ...SECOND, contested: true } }).limit).toBe(90)
  })

  it('are fewer with a larger debt beyond the cap, and never none', ({ expect }) => {
    const amount = fc.double({ min: 0, max: 1e5, noNaN: true })
    fc.assert(
      fc.property(amount, amount, (a, b) => {
        const less = courseOf({ inside: Math.min(a, b) }).limit
        const more = courseOf({ inside: Math.max(a, b) }).limit
        expect(more).toBeLessThanOrEqual(less)
        expect(more).toBeGreaterThan(0)
      }),
    )
    expect(courseOf({ inside: 1000 }).limit).toBeLessThan(10)
  })

  it('owe nothing as long as no more are inside than the cap lets in', ({ expect }) => {
    const { cap, limit } = courseOf()
    expect(courseOf({ inside: cap! }).limit).toBe(limit)
  })

  it('start with a few at a time, of which no origin minds, before the capacity is known', ({
    expect,
  }) => {
    const { cap, limit } = courseOf({ capacity: null, load: 1 })
    expect(cap).toBe(8)
    expect(limit).toBe(1)
    // By Little's law, and half of the slack: more where the load that was reached is larger.
    const grown = courseOf({ capacity: null, load: 200 }).cap
    expect(grown).toBe(Math.round(200 * (TIMES.meanS + TIMES.slackS / 2)))
  })
})
