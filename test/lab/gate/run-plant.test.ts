import { describe, it } from 'vitest'
import { poisson } from '../../../lab/clients/arrivals.ts'
import { constantRate } from '../../../lab/clients/rates.ts'
import { singleRequests } from '../../../lab/clients/single-requests.ts'
import { deterministic } from '../../../lab/engine/distributions.ts'
import type { LearnerFactory } from '../../../lab/gate/learner-policy.ts'
import type { Plant } from '../../../lab/gate/plant.ts'
import { clairvoyantS, plantR, plantS } from '../../../lab/gate/plants.ts'
import { letAllIn } from '../../../lab/gate/policy.ts'
import { type Ruling, runPlant } from '../../../lab/gate/run-plant.ts'
import { station } from '../../../lab/origins/station.ts'
import type { Decision, Sample } from '../../../src/learners/learner-interface.ts'
import { isUsableSample } from '../../../src/learners/sample.ts'
import { histogramTotal } from '../../../src/lib/histogram.ts'

/** A learner that follows a script and keeps its samples. */
function scripted(decide: (tick: number) => Partial<Decision>) {
  const samples: Sample[] = []
  const learner: LearnerFactory = () => ({
    state: { version: 1 },
    update(sample) {
      samples.push(sample)
      return { limit: null, reason: 'fixed', ...decide(samples.length) }
    },
  })
  return { samples, learner }
}

const run = (plant: Plant, ruling: Ruling, seconds = 120) =>
  runPlant({ plant, seed: 1, seconds, ...ruling })

describe('a run is deterministic to the last bit', () => {
  it('gives the same trace for the same seed', ({ expect }) => {
    const once = run(plantS(), { policy: clairvoyantS }, 300)
    expect(run(plantS(), { policy: clairvoyantS }, 300)).toEqual(once)
    const other = runPlant({ plant: plantS(), policy: clairvoyantS, seed: 2, seconds: 300 })
    expect(other.inSlaValue).not.toBe(once.inSlaValue)
  })

  it('has the same visitors under every policy', ({ expect }) => {
    const offered = (ruling: Ruling) =>
      run(plantS(), ruling, 300).trace.map(({ sample }) => sample.offered.sessions)
    const expected = offered({ policy: letAllIn })
    expect(offered({ policy: clairvoyantS })).toEqual(expected)
    expect(offered({ learner: scripted(() => ({ limit: 1 })).learner })).toEqual(expected)
  })
})

describe('what the learner sees', () => {
  for (const [name, plant] of [
    ['sessions', plantS()],
    ['requests', plantR()],
  ] as const) {
    it(`is a valid sample, and adds up over the run: ${name}`, ({ expect }) => {
      const { samples, learner } = scripted(() => ({}))
      const result = run(plant, { learner })
      expect(samples.every(isUsableSample)).toBe(true)
      const sum = (pick: (sample: Sample) => number) =>
        Math.round(samples.reduce((total, sample) => total + pick(sample), 0))
      expect(sum((sample) => sample.goodput)).toBe(result.served)
      expect(sum((sample) => histogramTotal(sample.tiers[0]!.latency))).toBe(result.served)
      expect(sum((sample) => sample.classes[0]!.offered)).toBe(result.offered)
      const sent = sum((sample) => sample.admitted.requests)
      const { inFlight } = samples.at(-1)!
      expect(sent).toBe(result.served + result.failed + result.abandoned + inFlight)
    })
  }

  it('counts the requests of sessions by age, and none without sessions', ({ expect }) => {
    const onSessions = scripted(() => ({}))
    run(plantS(), { learner: onSessions.learner })
    for (const { ages, admitted } of onSessions.samples) {
      expect(histogramTotal(ages)).toBe(admitted.requests)
    }
    const onRequests = scripted(() => ({}))
    run(plantR(), { learner: onRequests.learner })
    expect(onRequests.samples.every(({ ages }) => ages.length === 0)).toBe(true)
  })

  it('contains a change of capacity only if it was announced', ({ expect }) => {
    for (const announced of [true, false]) {
      const { samples, learner } = scripted(() => ({}))
      run(plantS({ changes: [{ atMs: 5500, servers: 12, announced }] }), { learner }, 10)
      const events = samples.map(({ capacity }) => capacity)
      expect(events[5]).toEqual(announced ? [{ before: 20, after: 12 }] : [])
      expect(events.flat()).toHaveLength(announced ? 1 : 0)
    }
  })
})

describe('what the learner decides', () => {
  const admitted = (ruling: Ruling, plant = plantR()) =>
    run(plant, ruling, 60).trace.map(({ sample }) => sample.classes[0]!.admitted)

  it('takes effect a second after its tick', ({ expect }) => {
    const { learner } = scripted(() => ({ limit: 0, burst: 0 }))
    const rates = admitted({ learner })
    // Decided at 1 s, in effect from 2 s on.
    expect(rates[0]).toBeGreaterThan(200)
    expect(rates[1]).toBeGreaterThan(200)
    expect(rates.slice(2).every((rate) => rate === 0)).toBe(true)
  })

  it('enforces the limit: 100/s of 300/s offered, over any time within the bucket of 5', ({
    expect,
  }) => {
    const { learner } = scripted(() => ({ limit: 100, burst: 5 }))
    const rates = admitted({ learner }).slice(3)
    let sum = 0
    for (const [i, rate] of rates.entries()) {
      sum += rate
      expect(Math.abs(sum - 100 * (i + 1))).toBeLessThanOrEqual(5)
    }
  })

  it('enforces the cap on requests in flight', ({ expect }) => {
    const { learner, samples } = scripted(() => ({ inFlightCap: 10 }))
    run(plantR(), { learner })
    expect(samples.slice(4).every(({ inFlight }) => inFlight <= 10)).toBe(true)
    expect(samples.slice(4).some(({ inFlight }) => inFlight === 10)).toBe(true)
  })

  it('draws by probability, within one of p × draws', ({ expect }) => {
    const { learner, samples } = scripted(() => ({ probabilities: { 'lab/all': 0.3 } }))
    run(plantR(), { learner })
    for (const { classes } of samples.slice(2)) {
      expect(Math.abs(classes[0]!.admitted - 0.3 * classes[0]!.offered)).toBeLessThanOrEqual(1)
    }
  })
})

describe('time-outs and retries', () => {
  const slow = (options: Partial<Plant>, noticesAbandonment: boolean): Plant => ({
    ...plantR(),
    origin: station({ servers: 1, noticesAbandonment }),
    clients: singleRequests({
      arrivals: poisson(constantRate(1.5)),
      demand: deterministic({ value: 1000 }),
    }),
    sla: { percentile: 95, targetMs: 5000, windowMs: 60_000 },
    ...options,
  })

  it('waste work: with an origin that continues after the time-out almost nothing is served', ({
    expect,
  }) => {
    const plant = (notices: boolean) => slow({ timeoutMs: 10_000 }, notices)
    const wasted = run(plant(false), { policy: letAllIn }, 2000)
    const noticed = run(plant(true), { policy: letAllIn }, 2000)
    // At 150 % the queue is longer than the time-out within a minute. From then on FCFS serves only
    // abandoned requests.
    expect(wasted.served).toBeLessThan(200)
    // If it notices, about half is still started too late.
    expect(noticed.served).toBeGreaterThan(800)
    expect(wasted.failed).toBeGreaterThan(2500)
  })

  it('counts a failure as over the target', ({ expect }) => {
    const result = run(slow({ timeoutMs: 500 }, true), { policy: letAllIn }, 200)
    expect(result.served).toBe(0)
    expect(result.lateShare).toBe(1)
    expect(result.windowsMissed).toBe(result.windows)
  })

  it('refuses visitors that come back too early without a draw; those that wait draw again', ({
    expect,
  }) => {
    const closed = scripted(() => ({ limit: 0, burst: 0 }))
    const with_ = (retries: { atOnce?: number; asTold?: number }) =>
      slow(
        {
          clients: singleRequests({
            arrivals: poisson(constantRate(1)),
            demand: deterministic({ value: 1 }),
            retries: { ...retries, most: 10 },
          }),
        },
        true,
      )
    const never = run(with_({}), closed, 1000)
    const told = run(with_({ asTold: 1 }), closed, 1000)
    const atOnce = run(with_({ atOnce: 1 }), closed, 1000)
    expect(never.early + told.early).toBe(0)
    // Each obedient visitor draws ten times; the last of them have not finished.
    expect(told.offered / never.offered).toBeGreaterThan(9)
    // Ten tries in ten seconds, and Retry-After is 5 to 15 s: rarely more than one or two draws.
    expect(atOnce.early / never.offered).toBeGreaterThan(7.5)
    expect(atOnce.offered / never.offered).toBeLessThan(2)
  })
})
