import type { TierSample } from '../learner-interface.ts'
import { believedRate } from './capacity.ts'
import { requestCurve } from './forecast.ts'
import { agilityOf, type Gain } from './gain.ts'
import { decideCap, isHeld } from './in-flight.ts'
import type { Kernel } from './kernel.ts'
import { allowedLoad, type Knowledge, rememberedPart } from './knowledge.ts'
import type { SocLqrOptions } from './options.ts'
import { demandAhead, type Pipe, piledRequests, piledSessions } from './pipe.ts'
import { type Pool, tailOf } from './pool.ts'
import { probedLoad } from './probe.ts'
import type { Sessions } from './sessions.ts'
import { payingRate, sessionRate } from './steer.ts'
import type { Tick } from './tick.ts'
import type { Tier } from './tiers.ts'

/** What is decided in a tick, in the unit of the limit. */
export interface TickDecision {
  readonly limit: number
  readonly burst: number
  readonly inFlight: number | null
  readonly knowledge: Knowledge
}

export interface CourseGround {
  readonly tick: Tick
  readonly tiers: readonly Tier[]
  readonly samples: readonly TierSample[]
  readonly pool: Pool
  readonly options: SocLqrOptions
  readonly gain: Gain
  readonly pipe: Pipe
  /** Requests at the origin. */
  readonly inService: number
}

/**
 * A backlog is a debt that is paid within so many ticks, or within this part of the mean age of a session at its
 * requests. On the 24 random worlds of seed 44, 1 or 2 ticks and 0.15 to 0.6 ages had scores of 0.44 to 0.48.
 */
const PAID_IN_TICKS = 2
const PAID_IN_AGES = 0.3
const LEAST_BURST = 3
const LEAST_PART = 0.02

/** ω: wait beyond that of the operating point, in units of the slack. */
function excessWait(load: number, { pool, gain }: CourseGround, inService: number): number {
  const usual = load * (pool.meanS + pool.slackS / 2 / agilityOf(gain.times))
  return Math.max(0, inService - usual) / (load * pool.slackS)
}

/** Requests that wait beyond the operating point. */
const debtOf = (inService: number, load: number, { meanS, slackS }: Pool): number =>
  Math.max(0, inService - load * (meanS + slackS / 2))

/** New sessions per second. A bucket of a twentieth of D passes the bursts of calm, and no more. */
export function sessionCourse(
  knowledge: Knowledge,
  ground: CourseGround,
  { demand, bias }: Sessions,
  kernel: Kernel,
): TickDecision {
  const load = allowedLoad(knowledge, ground.pool.slackS, ground.options.floor)
  const { pipe, tick, pool } = ground
  const curve = requestCurve(kernel.rates)
  const capacity = believedRate(knowledge.capacity)
  const ahead = demandAhead(demand, pipe, tick.offeredSessions)
  const piled =
    capacity === null
      ? 0
      : piledSessions(pipe, { demand, curve, bias, capacity, offered: tick.offeredSessions })
  const inService = Math.max(0, ground.inService + piled)
  const steered = sessionRate(ahead, kernel, {
    load,
    bias,
    gain: ground.gain,
    excessWait: excessWait(load, ground, inService),
  })
  const limit =
    capacity === null
      ? steered
      : Math.min(
          steered,
          payingRate(ahead, curve, {
            load,
            bias,
            requests: debtOf(inService, load, pool),
            withinS: Math.max(PAID_IN_TICKS * tick.seconds, PAID_IN_AGES * kernel.meanAgeS),
            least: (LEAST_PART * load) / kernel.perSession,
          }),
        )
  const burst = Math.max(LEAST_BURST, 0.05 * kernel.meanAgeS * limit)
  return { limit, burst, inFlight: null, knowledge }
}

/** Where the cap decides, the limit only has to be out of its way. */
const OUT_OF_THE_WAY = 1.5
/** Among classes of different value the limit decides who is let in: the cap does not ask for value. */
const WHEN_CONTESTED = 0.92
const HELD_BURST_S = 0.25

/** Requests per second, and requests at once. Without a cap that holds, the limit does the work alone. */
export function requestCourse(knowledge: Knowledge, ground: CourseGround): TickDecision {
  const { pool, options, tick } = ground
  const load = allowedLoad(knowledge, pool.slackS, options.floor)
  const capacity = believedRate(knowledge.capacity)
  const piled = capacity === null ? 0 : piledRequests(ground.pipe, tick.offered, capacity)
  const debt = debtOf(ground.inService + piled, load, pool)
  const alone = Math.max(LEAST_PART * load, load - debt / (PAID_IN_TICKS * tick.seconds))
  const { rate: measured } = knowledge.capacity
  const raised = Math.max(1, probedLoad(knowledge.probe, rememberedPart(knowledge)))
  const rate = measured === null ? knowledge.growth.load : measured * raised
  const inFlight = decideCap(knowledge.inFlight, {
    rate,
    known: measured !== null,
    meanS: pool.meanS,
    slackS: pool.slackS,
    targetS: pool.targetS,
    tailS: tailOf(ground.tiers, ground.samples, options.aim),
    least: options.startInService,
  })
  const loose = rate * (tick.contested ? WHEN_CONTESTED : OUT_OF_THE_WAY)
  const limit = alone + inFlight.held * Math.max(0, loose - alone)
  const burstS = Math.max(pool.slackS / 2, isHeld(inFlight) ? HELD_BURST_S : 0)
  return {
    limit,
    burst: Math.max(LEAST_BURST, limit * burstS),
    inFlight: inFlight.caps[0]!,
    knowledge: { ...knowledge, inFlight },
  }
}
