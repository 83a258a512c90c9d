import { ageBucketFromS } from '../../lib/session-age-buckets.ts'
import { lqrGain } from '../lqr/riccati.ts'
import type { Demand } from './demand.ts'
import {
  areaBefore,
  comingWithin,
  demandAhead,
  forecast,
  type Pipe,
  piledRequests,
  piledSessions,
  type RequestCurve,
  requestCurve,
} from './forecast.ts'
import type { Foreseen, Kernel } from './kernel.ts'
import { capOf, kneeOf } from './operating-point.ts'
import type { SocLqrOptions } from './options.ts'
import type { Tick } from './tick.ts'
import type { Times } from './tiers.ts'

/**
 * The correction around the operating point: a discrete LQR (Mathur et al. 2009, §III) on normalised states.
 *
 * ν = (load − L)/L follows the admissions with the lag D of the sessions, ω = wait/W adds up what is too much:
 *   ν' = e^(−dt/D) ν + (1 − e^(−dt/D)) v        ω' = ω + (dt/W) ν        v = (λ − λ*)/λ* = −(kν ν + kω ω)
 * Everything but dt/D and dt/W is without unit, and those are measured: so the weights are the same everywhere.
 */
export interface Gain {
  readonly load: number
  readonly wait: number
}

/** D, W and dt. */
export interface GainTimes {
  readonly lagS: number
  readonly slackS: number
  readonly tickS: number
}

type GainWeights = Pick<SocLqrOptions, 'weightLoad' | 'weightWait' | 'weightRate'>

/** Where the equation has no solution (times of absurd length), nothing is corrected. */
export function gainFor({ lagS, slackS, tickS }: GainTimes, weights: GainWeights): Gain {
  const keep = Math.exp(-tickS / lagS)
  const gain = lqrGain({
    a: [
      [keep, 0],
      [tickS / slackS, 1],
    ],
    b: [1 - keep, 0],
    q: [weights.weightLoad, weights.weightWait],
    r: weights.weightRate,
  })
  return gain === null ? { load: 0, wait: 0 } : { load: gain[0], wait: gain[1] }
}

/** What is decided in a tick, in the unit of the limit. */
export interface Course {
  readonly limit: number
  readonly burst: number
  readonly cap: number | null
}

export interface CourseGround {
  readonly tick: Tick
  readonly times: Times
  /** L: requests per second that the origin may get. */
  readonly load: number
  /** C as far as known; null: not at all. */
  readonly capacity: number | null
  /** Requests at the origin, and of these those whose clients have left. */
  readonly inside: number
  readonly orphans: number
  readonly pipe: Pipe
}

const LEAST_BURST = 3
/** The least part of the load that is admitted, and the most. */
const LEAST_PART = 0.02
const MOST_PART = 4
/** A backlog is paid back within so many ticks, or within a part of the mean age of a session at its requests. */
const PAID_IN_TICKS = 2
const PAID_IN_AGES = 0.3
/** Ages up to which a session has made this part of its requests take part in the fit of what is missing. */
const HORIZON = 0.8
/** Only every third age bucket: the kernel is smooth, and there is a tick every second. */
const STRIDE = 3

/** New sessions per second. A bucket of a twentieth of D passes the bursts of calm, and no more. */
export function sessionCourse(
  ground: CourseGround,
  { sessions, kernel }: Foreseen,
  weights: GainWeights,
): Course {
  const { tick, times, load, pipe } = ground
  const gainTimes = { lagS: kernel.meanAgeS, slackS: times.slackS, tickS: tick.seconds }
  const gain = gainFor(gainTimes, weights)
  const { demand, bias, held } = sessions
  const curve = requestCurve(kernel.rates)
  const offered = tick.offeredSessions
  const ahead = demandAhead(demand, pipe, offered)
  const capacity = ground.capacity ?? load
  const inside = ground.inside + piledSessions(pipe, { demand, curve, bias, capacity, offered })
  // A queue beyond the slack makes requests late; one beyond twice the knee may make the origin slow.
  const inTime = load * (times.meanS + times.slackS / 2)
  const debt = Math.max(0, inside - Math.min(inTime, kneeOf(load, times.meanS, 2)))
  const settled = load / kernel.perSession
  const missing = missingSessions(ahead, curve, kernel, { load, bias, settled })
  const correction =
    (gain.load * missing) / (settled * kernel.meanAgeS) - (gain.wait * debt) / (load * times.slackS)
  const steered = settled * Math.min(MOST_PART, Math.max(LEAST_PART, 1 + correction))
  const withinS = Math.max(PAID_IN_TICKS * tick.seconds, PAID_IN_AGES * kernel.meanAgeS)
  const owed = held * (1 - Math.exp(-withinS / kernel.meanAgeS))
  const room = load * withinS - debt - owed - bias * comingWithin(ahead, curve, withinS)
  const paying = Math.max(LEAST_PART * settled, room / areaBefore(curve, withinS))
  const limit = Math.min(steered, paying)
  return { limit, burst: Math.max(LEAST_BURST, 0.05 * kernel.meanAgeS * limit), cap: null }
}

/**
 * slack(τ) = L − past(τ) − λ* H(τ): what is missing τ seconds from now if λ* = L/M is admitted from now on. The sessions
 * whose requests x h(τ) fill it best are x = Σ slack h / Σ h².
 */
function missingSessions(
  demand: Demand,
  curve: RequestCurve,
  { rates, perSession }: Kernel,
  {
    load,
    bias,
    settled,
  }: { readonly load: number; readonly bias: number; readonly settled: number },
): number {
  let made = 0
  let fit = 0
  let norm = 0
  for (let bucket = 0; bucket < rates.length && made <= HORIZON * perSession; bucket += STRIDE) {
    const fromS = ageBucketFromS(bucket)
    const toS = ageBucketFromS(bucket + STRIDE)
    const asked = (curve.made[Math.min(bucket + STRIDE, rates.length)] ?? 0) - curve.made[bucket]!
    const slack =
      load - bias * forecast(demand, curve, (fromS + toS) / 2) - settled * (made + asked / 2)
    fit += slack * asked
    norm += (asked / (toS - fromS)) * asked
    made += asked
  }
  return norm > 0 ? fit / norm : 0
}

/** Where the cap decides, the limit is only to be out of its way. */
const OUT_OF_THE_WAY = 1.5

/**
 * Requests in flight, and requests per second. Among classes of different value the rate decides who is let in, because a cap
 * does not ask for value. What is inside beyond the cap is a debt: whoever enforces rates only lets more in.
 */
export function requestCourse(
  ground: CourseGround,
  trim: number,
  { startInService, floor }: Pick<SocLqrOptions, 'startInService' | 'floor'>,
): Course {
  const { tick, times, load, capacity, inside, orphans, pipe } = ground
  const { meanS, slackS } = times
  // Nobody is answered any more: one at a time shows when the origin has done what nobody waits for.
  if (orphans > Math.max(startInService, load * Math.max(meanS, tick.seconds)))
    return { limit: Math.max(LEAST_PART * load, 1 / tick.seconds), burst: 1, cap: 1 }
  if (capacity === null) {
    const cap = Math.max(startInService, load * (meanS + slackS / 2))
    const busy = load * meanS
    const burst = Math.max(startInService, (load * slackS) / 2)
    return { limit: load, burst, cap: Math.round(Math.max(1, busy + Math.sqrt(busy), cap)) }
  }
  const cap = capOf(Math.max(capacity, load), trim, times, floor)
  const debt = inside + piledRequests(pipe, tick.offered, capacity) - 1.3 * cap - 5
  const loose = tick.contested ? load : OUT_OF_THE_WAY * capacity
  const limit = Math.max(
    LEAST_PART * capacity,
    loose - Math.max(0, debt) / (PAID_IN_TICKS * tick.seconds),
  )
  return { limit, burst: Math.max(LEAST_BURST, limit * Math.max(slackS / 2, 0.25)), cap }
}
