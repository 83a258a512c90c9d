import fc from 'fast-check'
import { describe, it } from 'vitest'
import {
  type CourseGround,
  requestCourse,
  sessionCourse,
} from '../../../src/learners/soc-lqr/decide.ts'
import { NO_DEMAND } from '../../../src/learners/soc-lqr/demand.ts'
import { USUAL_GAIN } from '../../../src/learners/soc-lqr/gain.ts'
import { kernelOf } from '../../../src/learners/soc-lqr/kernel.ts'
import { type Knowledge, nothingKnown } from '../../../src/learners/soc-lqr/knowledge.ts'
import { SOC_LQR_OPTIONS } from '../../../src/learners/soc-lqr/options.ts'
import { NO_PIPE } from '../../../src/learners/soc-lqr/pipe.ts'
import { tickOf } from '../../../src/learners/soc-lqr/tick.ts'
import { resolveOptions } from '../../../src/lib/option-table.ts'
import { TIER } from '../../support/plant-s-tier.ts'
import { classTick, tick, tierTick } from '../../support/samples.ts'

/** An API without sessions: C = 200/s, S0 = 40 ms, p95 within 200 ms, so that W = 80 ms. */
const NOTHING = nothingKnown(1.5)
const KNOWN: Knowledge = { ...NOTHING, capacity: { ...NOTHING.capacity, rate: 200, weight: 4000 } }
const PLANT_R: CourseGround = {
  tick: tickOf(tick({ offered: 300, admitted: 190 })),
  tiers: [{ ...TIER, baseline: { ...TIER.baseline, meanS: 0.04 } }],
  samples: [tierTick({ targetMs: 200 })],
  pool: { meanS: 0.04, slackS: 0.08, targetS: 0.2, windowS: 60, variation: 1 },
  options: resolveOptions(SOC_LQR_OPTIONS),
  gain: USUAL_GAIN,
  pipe: NO_PIPE,
  inService: 12,
}

describe('request routes: the cap does the work', () => {
  it('caps requests in flight at 16, and keeps the rate out of its way: 1.5 · 200/s', ({
    expect,
  }) => {
    const { limit, inFlight, burst } = requestCourse(KNOWN, PLANT_R)
    expect(inFlight).toBe(16)
    expect(limit).toBeCloseTo(300, 9)
    expect(burst).toBeCloseTo(75, 9)
  })

  it('lets the rate decide among classes of different value: 0.92 of C', ({ expect }) => {
    const classes = [classTick({ value: 1 }), classTick({ value: 5 })]
    const contested = { ...PLANT_R, tick: tickOf(tick({ offered: 300, classes })) }
    expect(requestCourse(KNOWN, contested).limit).toBeCloseTo(184, 9)
  })

  it('leaves the rate alone to hold where the cap is not: u = 1 − 1.5/(200 · 0.08) of C, 181/s', ({
    expect,
  }) => {
    const loose = { ...KNOWN, inFlight: { ...KNOWN.inFlight, held: 0 } }
    // 12 in service are fewer than 181.25 (S0 + W/2) = 14.5: no correction.
    expect(requestCourse(loose, PLANT_R).limit).toBeCloseTo(181.25, 9)
  })

  it('then pays a debt within two ticks: 40 too many in service take 20/s off it', ({ expect }) => {
    const loose = { ...KNOWN, inFlight: { ...KNOWN.inFlight, held: 0 } }
    const { limit } = requestCourse(loose, { ...PLANT_R, inService: 14.5 + 40 })
    expect(limit).toBeCloseTo(181.25 - 20, 9)
  })

  it('foresees what earlier decisions add: 300/s for a dead time of 0.5 s are 50 more than 200/s serve', ({
    expect,
  }) => {
    const loose = { ...KNOWN, inFlight: { ...KNOWN.inFlight, held: 0 } }
    const pipe = { deadS: 0.5, decided: [1, 300] }
    const { limit } = requestCourse(loose, { ...PLANT_R, pipe, inService: 14.5 })
    expect(limit).toBeCloseTo(181.25 - 25, 9)
  })
})

describe('session routes: no request of an admitted session is refused', () => {
  const kernel = kernelOf(NO_DEMAND, { perSession: 10, meanAgeS: 120 })
  const sessions = { demand: NO_DEMAND, bias: 1 }

  it('have no cap, and a bucket of a twentieth of D', ({ expect }) => {
    const { limit, burst, inFlight } = sessionCourse(KNOWN, PLANT_R, sessions, kernel)
    expect(inFlight).toBeNull()
    expect(burst).toBeCloseTo(0.05 * kernel.meanAgeS * limit, 9)
  })

  it('let half the slack be waited where sessions take minutes, a tenth where they take seconds', ({
    expect,
  }) => {
    // 181.25 requests/s are 18.1 sessions/s of 10 each. Nobody waits: 7.25 in service; W/2: 14.5; W/10: 8.7.
    const settled = 181.25 / kernel.perSession
    const limitAt = (lagS: number, inService: number): number => {
      const gain = { ...USUAL_GAIN, times: { lagS, slackS: 0.08, tickS: 1 }, load: 0, wait: 1 }
      return sessionCourse(KNOWN, { ...PLANT_R, gain, inService }, sessions, kernel).limit
    }
    expect(limitAt(120, 14.5)).toBeCloseTo(settled, 9)
    expect(limitAt(0.4, 8.7)).toBeCloseTo(settled, 9)
    // ω = (14.5 − 8.7)/(181.25 · 0.08)
    expect(limitAt(0.4, 14.5)).toBeCloseTo(settled * (1 - 0.4), 9)
  })

  it('have room for three at once, however few may come', ({ expect }) => {
    const small = { ...KNOWN, capacity: { ...KNOWN.capacity, rate: 0.1 } }
    expect(sessionCourse(small, PLANT_R, sessions, kernel).burst).toBe(3)
  })
})

describe('limits stay between floor and ceiling for any input', () => {
  const amount = fc.double({ min: 0, max: 1e6, noNaN: true })
  const seconds = fc.double({ min: 1e-3, max: 100, noNaN: true })
  const known = fc
    .record({
      rate: fc.double({ min: 0.01, max: 1e5, noNaN: true }),
      best: amount,
      stage: fc.constantFrom(0, 1, 2, 3),
      headroom: fc.double({ min: 0.4, max: 40, noNaN: true }),
      held: fc.double({ min: 0, max: 1, noNaN: true }),
      points: fc.array(fc.tuple(amount, fc.double({ min: 0.1, max: 8, noNaN: true })), {
        maxLength: 6,
      }),
    })
    .map(({ rate, best, stage, headroom, held, points }): Knowledge => {
      const slices = points.map(([spent, weight], i) => ({
        slice: 40 + i,
        weight,
        load: (40.5 + i) * 0.02,
        spent,
      }))
      return {
        ...NOTHING,
        headroom,
        capacity: { ...NOTHING.capacity, rate, best, weight: 100 },
        probe: { ...NOTHING.probe, stage },
        inFlight: { ...NOTHING.inFlight, held },
        memory: { ...NOTHING.memory, slices },
      }
    })
  const ground = fc
    .record({ meanS: seconds, slackS: seconds, targetS: seconds, inService: amount })
    .map(
      ({ inService, ...pool }): CourseGround => ({
        ...PLANT_R,
        inService,
        pool: { ...PLANT_R.pool, ...pool },
      }),
    )

  it('requests: from 0.02 of the floor, 0.6 C, to 1.5 times a probe of 1.5 C', ({ expect }) => {
    fc.assert(
      fc.property(known, ground, (knowledge, given) => {
        const rate = knowledge.capacity.rate!
        const { limit, inFlight } = requestCourse(knowledge, given)
        expect(limit / rate).toBeGreaterThanOrEqual(0.02 * 0.6 * (1 - 1e-9))
        expect(limit / rate).toBeLessThanOrEqual(2.25 * (1 + 1e-9))
        expect(inFlight).toBeGreaterThanOrEqual(1)
      }),
    )
  })

  it('sessions: from 0.02 λ* at the floor to 4 λ* at a probe of 1.5 C', ({ expect }) => {
    const kernel = kernelOf(NO_DEMAND, { perSession: 10, meanAgeS: 120 })
    const slots = fc.array(fc.tuple(seconds, amount), { maxLength: 20 })
    fc.assert(
      fc.property(known, ground, slots, (knowledge, given, admitted) => {
        const settled = knowledge.capacity.rate! / kernel.perSession
        const demand = { ...NO_DEMAND, admissions: admitted.flat() }
        const { limit } = sessionCourse(knowledge, given, { demand, bias: 1 }, kernel)
        expect(limit / settled).toBeGreaterThanOrEqual(0.02 * 0.6 * (1 - 1e-9))
        expect(limit / settled).toBeLessThanOrEqual(4 * 1.5 * (1 + 1e-9))
      }),
    )
  })
})
