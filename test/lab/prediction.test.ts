import { describe, it } from 'vitest'
import { type Interval, predict } from '../../cli/report/prediction.ts'
import { poisson } from '../../lab/clients/arrivals.ts'
import { dailyCycle, flashCrowd, ramp, steps } from '../../lab/clients/profiles.ts'
import type { Plant } from '../../lab/gate/plant.ts'
import { letAllIn } from '../../lab/gate/policy.ts'
import { type RunResult, runPlant, type TraceLine } from '../../lab/gate/run-plant.ts'
import { api, shop } from '../../lab/tournament/systems.ts'
import { HEAVY, MEASURED, THRASHING, TIGHT } from '../../lab/tournament/variants.ts'
import { createLearner, LEARNER_OPTIONS } from '../../src/learners/registry.ts'
import { EMPTY_HISTOGRAM, mergeHistograms, quantileMs } from '../../src/lib/histogram.ts'
import { resolveOptions } from '../../src/lib/option-table.ts'

const TICKS = 60

/** The run as the admin API's history has it: a point for each minute. */
function minutesOf({ granularity, sla }: Plant, { trace }: RunResult): readonly Interval[] {
  const minutes: Interval[] = []
  for (let i = 0; i + TICKS <= trace.length; i += TICKS) {
    const lines = trace.slice(i, i + TICKS)
    const tiers = lines.flatMap(({ sample }) => sample.tiers)
    const latency = tiers.reduce((sum, one) => mergeHistograms(sum, one.latency), EMPTY_HISTOGRAM)
    minutes.push({
      atMs: lines[0]!.atMs,
      seconds: TICKS,
      asked: mean(lines, ({ sample }) => asked(granularity, sample.offered)),
      requests: mean(lines, ({ sample }) => sample.admitted.requests),
      served: mean(lines, ({ sample }) => sample.goodput),
      inTime: tiers.reduce((sum, { completed, late }) => sum + completed - late, 0) / TICKS,
      p95Ms: quantileMs(latency, sla.percentile / 100),
    })
  }
  return minutes
}

const asked = (granularity: Plant['granularity'], rates: { sessions: number; requests: number }) =>
  granularity === 'session' ? rates.sessions : rates.requests

const mean = (lines: readonly TraceLine[], of: (line: TraceLine) => number): number =>
  lines.reduce((sum, line) => sum + of(line), 0) / lines.length

function enforced({ granularity }: Plant, { trace }: RunResult) {
  const sum = (of: (line: TraceLine) => number): number =>
    trace.reduce((total, line) => total + of(line), 0)
  const offered = sum(({ sample }) => asked(granularity, sample.offered))
  const admitted = sum(({ sample }) => asked(granularity, sample.admitted))
  return { admitted, refused: offered - admitted }
}

const createDefault = () => {
  const options = resolveOptions(LEARNER_OPTIONS['soc-lqr'])
  return createLearner({ name: 'soc-lqr', options }).learner
}

const DAYS: readonly (readonly [string, Plant, number])[] = [
  [
    'a day of a shop that rises to 1.7 times its capacity',
    shop({
      ...MEASURED,
      arrivals: poisson(
        dailyCycle({ mean: 2, swing: 0.7, peakMs: 3_600_000, days: 1, dayMs: 7_200_000 }),
      ),
    }),
    7200,
  ],
  [
    'a sale: an hour of calm, half an hour at twice the capacity, calm again',
    shop({ arrivals: poisson(steps({ 0: 1.2, 3600: 4, 5400: 1.2 })) }),
    7200,
  ],
  [
    'an API with ten minutes at three times its capacity',
    api({ arrivals: poisson(steps({ 0: 100, 1800: 600, 2400: 100 })) }),
    3600,
  ],
]

const SALE = poisson(steps({ 0: 1.2, 3600: 4, 5400: 1.2 }))
const CROWD = { base: 1, peak: 12, startMs: 1_800_000, doublingMs: 90_000, holdMs: 420_000 }
const RISE = { from: 100, to: 500, startMs: 1_200_000, endMs: 3_000_000 }

/** Days that the prediction was not made on. */
const OTHER_DAYS: typeof DAYS = [
  ['a sale at an origin with nearly constant service', shop({ ...TIGHT, arrivals: SALE }), 7200],
  ['a sale at an origin with a heavy tail', shop({ ...HEAVY, arrivals: SALE }), 7200],
  ['a flash crowd of six times the capacity', shop({ arrivals: poisson(flashCrowd(CROWD)) }), 5400],
  ['a slow rise to 2.5 times the capacity', api({ arrivals: poisson(ramp(RISE)) }), 3600],
]

/** Predicted by observe, as parts of what enforce then did. The same visitors come. */
function predicted(plant: Plant, seconds: number, seed: number) {
  const { granularity, sla } = plant
  const observed = minutesOf(plant, runPlant({ plant, seed, seconds, policy: letAllIn }))
  const { refused, asked: all } = predict(observed, { granularity, targetMs: sla.targetMs })
  const actual = enforced(plant, runPlant({ plant, seed, seconds, learner: createDefault }))
  return { refused: refused / actual.refused, admitted: (all - refused) / actual.admitted }
}

describe.for(DAYS)('%s', ([, plant, seconds]) => {
  it.for([1, 2])('is predicted from observe to within 12 %: seed %i', (seed, { expect }) => {
    // On another day chance would be added, about 6 % of the refused.
    const { refused, admitted } = predicted(plant, seconds, seed)
    expect(Math.abs(refused - 1)).toBeLessThan(0.12)
    expect(Math.abs(admitted - 1)).toBeLessThan(0.1)
  })

  it('is predicted with another seed: the admitted to within 10 %, the refused to 18 %', ({
    expect,
  }) => {
    const { refused, admitted } = predicted(plant, seconds, 11)
    expect(Math.abs(refused - 1)).toBeLessThan(0.18)
    expect(Math.abs(admitted - 1)).toBeLessThan(0.1)
  })
})

describe.for(OTHER_DAYS)('%s', ([, plant, seconds]) => {
  it('is predicted from observe: the admitted to within 10 %, the refused to 25 %', ({
    expect,
  }) => {
    const { refused, admitted } = predicted(plant, seconds, 11)
    expect(Math.abs(refused - 1)).toBeLessThan(0.25)
    expect(Math.abs(admitted - 1)).toBeLessThan(0.1)
  })
})

describe('a rush at an origin that thrashes', () => {
  it('is predicted too darkly, because what it can do was never seen', ({ expect }) => {
    const rush = poisson(steps({ 0: 100, 1800: 600, 2400: 100 }))
    const { refused, admitted } = predicted(api({ ...THRASHING, arrivals: rush }), 3600, 11)
    expect(refused).toBeGreaterThan(1)
    expect(admitted).toBeLessThan(1)
    expect(admitted).toBeGreaterThan(0.6)
  })
})
