import fc from 'fast-check'
import { describe, it } from 'vitest'
import { poisson } from '../../../lab/clients/arrivals.ts'
import { steps } from '../../../lab/clients/profiles.ts'
import { plantR, plantS } from '../../../lab/gate/plants.ts'
import { runPlant } from '../../../lab/gate/run-plant.ts'
import type { Sample } from '../../../src/learners/learner-interface.ts'
import { createLearner } from '../../../src/learners/registry.ts'
import { SocLqrLearner } from '../../../src/learners/soc-lqr/learner.ts'
import { isSocLqrState, type SocLqrState } from '../../../src/learners/soc-lqr/state.ts'
import { tick, times } from '../../support/samples.ts'

/** What an origin of 200/s shows while twice as much comes: the gate, the queue and the learner in one loop. */
function samplesOf(granularity: 'request' | 'session'): readonly Sample[] {
  const plant =
    granularity === 'request'
      ? plantR({ arrivals: poisson(steps({ 0: 100, 20: 400 })) })
      : plantS({ arrivals: poisson(steps({ 0: 1, 60: 4 })) })
  const seconds = granularity === 'request' ? 90 : 400
  const { trace } = runPlant({ plant, seed: 1, seconds, learner: () => new SocLqrLearner() })
  return trace.map(({ sample }) => sample)
}

const REQUESTS = samplesOf('request')
const SESSIONS = samplesOf('session')

/** A learner that has seen the origin saturated. */
function seasoned(samples: readonly Sample[] = REQUESTS): SocLqrLearner {
  const learner = new SocLqrLearner()
  for (const sample of samples) learner.update(sample)
  return learner
}

describe('before anything is known', () => {
  it('a first sample has a limit and, without sessions, a cap, and the reason is that it is cold', ({
    expect,
  }) => {
    const { limit, inFlightCap, reason } = new SocLqrLearner().update(REQUESTS[0]!)
    expect(limit).toBeGreaterThan(0)
    expect(inFlightCap).toBeGreaterThanOrEqual(1)
    expect(reason).toBe('cold')
    expect(
      new SocLqrLearner().update(SESSIONS.find(({ inFlight }) => inFlight > 0)!).inFlightCap,
    ).toBeNull()
  })

  it('silence decides nothing', ({ expect }) => {
    const { limit, reason } = new SocLqrLearner().update(tick({ offered: 0, admitted: 0 }))
    expect([limit, reason]).toEqual([null, 'no-data'])
  })
})

describe('on an origin that becomes saturated', () => {
  it('says when the capacity is found, and that it is steady later', ({ expect }) => {
    const learner = new SocLqrLearner()
    const reasons = REQUESTS.map((sample) => learner.update(sample).reason)
    expect(learner.state.capacity.rate).not.toBeNull()
    expect(reasons.indexOf('capacity')).toBeGreaterThan(0)
    expect(reasons.slice(-30)).toContain('steady')
  })

  it('tells what a session makes: the shop’s database has 9.7 requests in the mean', ({
    expect,
  }) => {
    const learner = new SocLqrLearner()
    let last = 0
    for (const sample of SESSIONS) last = learner.update(sample).requestsPerSession ?? 0
    expect(last).toBeGreaterThan(5)
    expect(last).toBeLessThan(15)
    expect(seasoned().update(REQUESTS[0]!).requestsPerSession).toBeUndefined()
  })
})

describe('what says nothing changes nothing', () => {
  it('silence keeps the decision: nobody came, or the report is lost', ({ expect }) => {
    for (const samples of [REQUESTS, SESSIONS]) {
      const learner = seasoned(samples)
      const { limit, cap, capacity, tiers } = learner.state
      const silence: Sample = {
        ...tick({ offered: 0, admitted: 0 }),
        granularity: samples[0]!.granularity,
      }
      for (let n = 0; n < 100; n++)
        expect(learner.update(silence)).toMatchObject({ limit, reason: 'no-data' })
      expect(learner.state).toMatchObject({ limit, cap, capacity, tiers })
    }
  })

  it('a sample that cannot be is refused, and the state stays as it was', ({ expect }) => {
    const learner = seasoned()
    const { state } = learner
    for (const broken of [
      { ...REQUESTS[0]!, lengthMs: 0 },
      { ...REQUESTS[0]!, inFlight: Number.NaN },
      { ...REQUESTS[0]!, abandoned: -1 },
    ]) {
      expect(learner.update(broken)).toMatchObject({ limit: state.limit, reason: 'invalid' })
      expect(learner.state).toBe(state)
    }
  })
})

describe('an announced change by ρ (Bartolini et al. 2009, §5.3)', () => {
  it.for([0.5, 2])(
    'scales what is known and decided at once, even in silence: %d',
    (ratio, { expect }) => {
      const learner = seasoned()
      const before = learner.state
      const silence = tick({ offered: 0, admitted: 0, capacity: [{ before: 1, after: ratio }] })
      const { limit, inFlightCap, reason } = learner.update(silence)
      expect(reason).toBe('capacity')
      expect(limit! / before.limit!).toBeCloseTo(ratio, 9)
      expect(inFlightCap! / before.cap!).toBeCloseTo(ratio, 9)
      expect(learner.state.capacity.rate! / before.capacity.rate!).toBeCloseTo(ratio, 9)
    },
  )
})

describe('the state', () => {
  it('is all there is: a learner restarted at any tick decides the same', ({ expect }) => {
    for (const samples of [REQUESTS, SESSIONS.slice(0, 200)]) {
      const straight = new SocLqrLearner()
      let stored: unknown
      for (const sample of samples) {
        const { learner, note } = createLearner({ name: 'soc-lqr', options: {} }, stored)
        expect(note).toBeNull()
        expect(learner.update(sample)).toEqual(straight.update(sample))
        stored = JSON.parse(JSON.stringify(learner.state))
      }
    }
  })

  it('of another version is not taken over', ({ expect }) => {
    const { state } = seasoned()
    expect(isSocLqrState(state)).toBe(true)
    expect(isSocLqrState({ ...state, version: 1 })).toBe(false)
    const { learner, note } = createLearner(
      { name: 'soc-lqr', options: {} },
      { ...state, version: 1 },
    )
    expect(note).not.toBeNull()
    expect((learner.state as SocLqrState).capacity.rate).toBeNull()
  })

  it('is sound and the decision usable, whatever samples come', ({ expect }) => {
    // Figures that are sound one by one may be absurd together.
    const amount = fc.oneof(
      fc.constantFrom(0, 1e-300, 1e300, Number.MAX_VALUE),
      fc.double({ min: 0, max: 1e6, noNaN: true }),
    )
    const samples = fc.record({
      lengthMs: fc.integer({ min: 1, max: 600_000 }),
      granularity: fc.constantFrom('request' as const, 'session' as const),
      offered: amount,
      admitted: amount,
      inFlight: fc.nat(100_000),
      failed: fc.nat(20),
      abandoned: amount,
      timesMs: fc.array(fc.double({ min: 0.01, max: 1e6, noNaN: true }), { maxLength: 60 }),
      knownPeak: amount,
      deadTimeMs: fc.nat(100_000),
      ratio: fc.constantFrom(1, 1, 1, 0.1, 10),
    })
    fc.assert(
      fc.property(fc.array(samples, { maxLength: 30 }), (all) => {
        const learner = new SocLqrLearner()
        for (const { abandoned, knownPeak, deadTimeMs, ratio, ...given } of all) {
          const capacity = ratio === 1 ? [] : [{ before: 1, after: ratio }]
          const decision = learner.update({
            ...tick({ ...given, capacity }),
            abandoned,
            knownPeak,
            deadTimeMs,
          })
          expect(isSocLqrState(learner.state)).toBe(true)
          const { limit, inFlightCap, burst } = decision
          if (limit === null) continue
          expect(limit).toBeGreaterThanOrEqual(0)
          expect(Number.isFinite(limit)).toBe(true)
          expect(burst).toBeGreaterThan(0)
          if (inFlightCap != null) expect(inFlightCap).toBeGreaterThan(0)
        }
      }),
      { numRuns: 60 },
    )
  })
})

describe('options', () => {
  it('decide: no less than the floor of the capacity is admitted, however late requests are', ({
    expect,
  }) => {
    const late = (floor: number) => {
      const learner = new SocLqrLearner({ floor }, seasoned().state)
      for (let n = 0; n < 300; n++)
        learner.update(
          tick({
            offered: 400,
            timesMs: times(200, 900),
            admitted: 200,
            targetMs: 200,
            inFlight: 20,
          }),
        )
      return learner.state
    }
    for (const floor of [0.4, 0.8])
      expect(1 - late(floor).point.spare).toBeGreaterThanOrEqual(floor - 1e-9)
  })
})
