import fc from 'fast-check'
import { describe, it } from 'vitest'
import {
  allowedLoad,
  announced,
  type Knowledge,
  nothingKnown,
  operatingPart,
  rememberedPart,
} from '../../../src/learners/soc-lqr/knowledge.ts'
import { SocLqrLearner } from '../../../src/learners/soc-lqr/learner.ts'
import { freshState, type SocLqrState } from '../../../src/learners/soc-lqr/state.ts'
import { tick, times } from '../../support/samples.ts'

/** C = 20/s, κ = 1.5; with W = 2 s the operating point is 1 − 1.5/40 = 0.9625 of it. */
const NOTHING = nothingKnown(1.5)
const KNOWN: Knowledge = {
  ...NOTHING,
  capacity: { ...NOTHING.capacity, rate: 20, weight: 4000 },
  growth: { ...NOTHING.growth, proven: 18, load: 24 },
  inFlight: { ...NOTHING.inFlight, caps: [40, 40, 40] },
}
/** SOC's curve: the allowance is spent at 0.93. */
const CURVE = {
  ...NOTHING.memory,
  slices: [
    { slice: 45, weight: 4, load: 0.91, spent: 0.5 },
    { slice: 47, weight: 4, load: 0.95, spent: 1.5 },
  ],
}

describe('the operating point: κ says how close to capacity, SOC’s curve how close at the most', () => {
  it('is 0.9625 of C = 20/s without a curve: L = 19.25/s', ({ expect }) => {
    expect(allowedLoad(KNOWN, 2, 0.6)).toBeCloseTo(19.25, 12)
  })

  it('is the curve’s 0.93 where that is less: L = 18.6/s', ({ expect }) => {
    expect(allowedLoad({ ...KNOWN, memory: CURVE }, 2, 0.6)).toBeCloseTo(18.6, 12)
  })

  it('is never below the floor, whatever the curve says: 0.6 of 20/s', ({ expect }) => {
    const slices = [{ slice: 10, weight: 8, load: 0.2, spent: 9 }]
    const hopeless = { ...KNOWN, memory: { ...CURVE, slices } }
    expect(operatingPart(hopeless, 20, 2, 0.6)).toBe(0.6)
    expect(allowedLoad(hopeless, 2, 0.6)).toBe(12)
  })

  it('is what growth allows as long as C is unknown', ({ expect }) => {
    const growing = { ...KNOWN, capacity: NOTHING.capacity }
    expect(allowedLoad(growing, 2, 0.6)).toBe(24)
  })

  it('is raised by a probe: 1.03 of C', ({ expect }) => {
    const probing: Knowledge = { ...KNOWN, probe: { ...NOTHING.probe, stage: 1 } }
    expect(allowedLoad(probing, 2, 0.6)).toBeCloseTo(20.6, 12)
  })
})

describe('announced changes of capacity (Bartolini et al. 2009, §5.3)', () => {
  it('scale all rates by ρ = 14/20, and leave the curve: it is in units of the capacity', ({
    expect,
  }) => {
    const { knowledge, ratio } = announced({ ...KNOWN, memory: CURVE }, [{ before: 20, after: 14 }])
    expect(ratio).toBeCloseTo(0.7, 12)
    expect(knowledge.capacity.rate).toBeCloseTo(14, 12)
    expect(knowledge.growth.proven).toBeCloseTo(12.6, 12)
    expect(knowledge.inFlight.caps[0]).toBeCloseTo(28, 12)
    expect(knowledge.memory).toBe(CURVE)
    expect(knowledge.settling).toBe(true)
    // 20 are remembered, for the way back.
    expect(rememberedPart(knowledge)).toBeCloseTo(20 / 14, 12)
  })

  it('multiply when there are several: 20 → 10 and 10 → 15 are 0.75', ({ expect }) => {
    const events = [
      { before: 20, after: 10 },
      { before: 10, after: 15 },
    ]
    expect(announced(KNOWN, events).knowledge.capacity.rate).toBeCloseTo(15, 12)
  })

  it('are ignored where they say nothing, or more than a thousandfold: a slip of units', ({
    expect,
  }) => {
    for (const [before, after] of [
      [20, 20],
      [0, 20],
      [20, 0],
      [1, 1001],
      [1001, 1],
    ] as const) {
      const same = announced(KNOWN, [{ before, after }])
      expect(same.ratio).toBe(1)
      expect(same.knowledge).toBe(KNOWN)
    }
  })

  it('return by 1/ρ to the same load', ({ expect }) => {
    const count = fc.integer({ min: 1, max: 900 })
    fc.assert(
      fc.property(count, count, (before, after) => {
        const there = announced({ ...KNOWN, memory: CURVE }, [{ before, after }])
        const back = announced(there.knowledge, [{ before: after, after: before }])
        expect(allowedLoad(back.knowledge, 2, 0.6)).toBeCloseTo(18.6, 9)
        expect(there.ratio * back.ratio).toBeCloseTo(1, 9)
      }),
    )
  })
})

const STATE: SocLqrState = {
  ...freshState(1.5),
  knowledge: KNOWN,
  limit: 30,
  burst: 15,
  cap: 40,
}

describe('the learner on an announced change', () => {
  it('gives the reason `capacity` and half the limit and cap in the same tick, even in silence', ({
    expect,
  }) => {
    const learner = new SocLqrLearner({}, STATE)
    const decision = learner.update(tick({ capacity: [{ before: 20, after: 10 }] }))
    expect(decision).toMatchObject({ limit: 15, inFlightCap: 20, reason: 'capacity' })
  })

  it('decides from the scaled capacity when requests come: C = 10/s', ({ expect }) => {
    const learner = new SocLqrLearner({}, STATE)
    const busy = { timesMs: times(18, 300), inService: 6 }
    const usual = new SocLqrLearner({}, STATE).update(tick(busy))
    const decision = learner.update(tick({ ...busy, capacity: [{ before: 20, after: 10 }] }))
    expect(decision.reason).toBe('capacity')
    expect(learner.state.knowledge.capacity.rate).toBeCloseTo(10, 6)
    expect(Math.abs(decision.limit! / usual.limit! - 0.5)).toBeLessThan(0.05)
  })
})

describe('a tick without data is no evidence of health', () => {
  it('keeps the limit and all that is known for 10 minutes, and says `no-data`', ({ expect }) => {
    const learner = new SocLqrLearner({}, STATE)
    for (let second = 0; second < 600; second++) {
      expect(learner.update(tick())).toEqual({
        limit: 30,
        burst: 15,
        inFlightCap: 40,
        reason: 'no-data',
      })
    }
    expect(learner.state).toEqual(STATE)
  })

  it('ages the sessions of a session route, and nothing else', ({ expect }) => {
    const sessions = { ...STATE.sessions, demand: { ...STATE.sessions.demand, admissions: [1, 5] } }
    const learner = new SocLqrLearner({}, { ...STATE, sessions })
    const decision = learner.update(tick({ granularity: 'session', lengthMs: 10_000 }))
    expect(decision).toMatchObject({ limit: 30, reason: 'no-data' })
    expect(learner.state.sessions.demand.admissions).toEqual([10, 0, 1, 5])
    expect({ ...learner.state, sessions }).toEqual({ ...STATE, sessions })
  })
})
