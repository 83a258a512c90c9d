import { atLeastZero, number, object, type StateSchema } from '../../lib/state-schema.ts'
import { lqrGain } from '../lqr/riccati.ts'

/**
 * The correction around the operating point: a discrete LQR (Mathur et al. 2009, §III) on normalised states.
 *
 * ν = (load − L)/L follows the admissions with the lag D of the sessions, ω = wait/W adds up what is too much:
 *   ν' = e^(−dt/D) ν + (1 − e^(−dt/D)) v        ω' = ω + (dt/W) ν        v = (λ − λ*)/λ* = −(kν ν + kω ω)
 * Everything but dt/D and dt/W is without unit, and those are measured: so the weights are the same everywhere.
 */
export interface Gain {
  /** What it was computed for. */
  readonly times: GainTimes
  readonly weights: GainWeights
  readonly load: number
  readonly wait: number
}

export interface GainTimes {
  /** D, W and dt. */
  readonly lagS: number
  readonly slackS: number
  readonly tickS: number
}

export interface GainWeights {
  readonly weightLoad: number
  readonly weightWait: number
  readonly weightRate: number
}

/** At D = 120 s, W = 2 s and dt = 1 s, with the usual weights. */
export const USUAL_GAIN: Gain = {
  times: { lagS: 120, slackS: 2, tickS: 1 },
  weights: { weightLoad: 1, weightWait: 0.01, weightRate: 0.1 },
  load: 5.979,
  wait: 0.308,
}

export const isGain: StateSchema = object({
  times: object({ lagS: atLeastZero, slackS: atLeastZero, tickS: atLeastZero }),
  weights: object({ weightLoad: atLeastZero, weightWait: atLeastZero, weightRate: atLeastZero }),
  load: number,
  wait: number,
})

const SHORTEST_LAG_S = 1e-3
/** Times that differ by less than this part make no difference to the gain that matters. */
const SAME = 0.03

/** At 0.96 of the capacity a queue as long as the slack drains by itself in so many slacks. */
const DRAINS_IN = 25
/** Simulated: the demo's flood is held at 97 of 100 seeds; with 3 instead, at fewer. */
const MOST_AGILITY = 8

/**
 * How many times faster sessions act than a queue drains by itself. Sessions of minutes do not: they come too late for
 * it. Sessions of seconds do: then steering by the wait pays, and hardly anybody has to wait. 1: no faster, or no
 * sessions (D = 0), where a cap on requests in flight does this.
 */
export function agilityOf({ lagS, slackS }: Omit<GainTimes, 'tickS'>): number {
  if (lagS === 0) return 1
  return Math.min(MOST_AGILITY, Math.max(1, (DRAINS_IN * slackS) / lagS))
}

export function gainFor(known: Gain, times: GainTimes, given: GainWeights): Gain {
  const { weightLoad, weightWait, weightRate } = given
  const weights = { weightLoad, weightWait, weightRate }
  const isKnown = isSame(known.times, times) && areSame(known.weights, weights)
  return isKnown ? known : normalisedGain(times, weights, known)
}

function areSame(a: GainWeights, b: GainWeights): boolean {
  return (
    a.weightLoad === b.weightLoad && a.weightWait === b.weightWait && a.weightRate === b.weightRate
  )
}

function isSame(a: GainTimes, b: GainTimes): boolean {
  const near = (x: number, y: number): boolean => Math.abs(x - y) <= SAME * y
  return near(a.lagS, b.lagS) && near(a.slackS, b.slackS) && near(a.tickS, b.tickS)
}

/** Where the equation has no solution (times of absurd length), what was known stays. */
export function normalisedGain(times: GainTimes, weights: GainWeights, known: Gain): Gain {
  const keep = Math.exp(-times.tickS / Math.max(times.lagS, SHORTEST_LAG_S))
  const gain = lqrGain({
    a: [
      [keep, 0],
      [times.tickS / times.slackS, 1],
    ],
    b: [1 - keep, 0],
    q: [weights.weightLoad, weights.weightWait * agilityOf(times) ** 2],
    r: weights.weightRate,
  })
  return gain === null
    ? { ...known, times, weights }
    : { times, weights, load: gain[0], wait: gain[1] }
}
