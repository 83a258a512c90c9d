import { atLeastZero, object, type StateSchema } from '../../lib/state-schema.ts'
import type { Pool } from './pool.ts'
import type { Tick } from './tick.ts'

/** Whether the origin has more to do than it can, from what is in service and from response times together. */
export interface Flow {
  /** Served per second, of the last ticks. */
  readonly goodput: number
  /** Mean response time of about the last completions. */
  readonly recentS: number
  /** Below this the last tick counted as calm. */
  readonly calmS: number
  /** Ticks for which it has been backlogged; 0: it is not. */
  readonly backlogged: number
}

export const NO_FLOW: Flow = { goodput: 0, recentS: 0, calmS: 0, backlogged: 0 }

export const isFlow: StateSchema = object({
  goodput: atLeastZero,
  recentS: atLeastZero,
  calmS: atLeastZero,
  backlogged: atLeastZero,
})

const RECENT = 20
const STUBBORN = 1

/** The mean response time of about the last twenty completions: fewer are a matter of chance. */
export function recentOf({ recentS }: Flow, { served, latencyS }: Tick): number {
  if (served === 0) return recentS
  return recentS + Math.min(1, served / RECENT) * (latencyS / served - recentS)
}

export interface Backlog {
  readonly flow: Flow
  readonly backlogged: boolean
  /** Expected wait of a request that comes now, from Little's law. */
  readonly waitS: number
  /** Wait that rising load does not explain: evidence ahead of the response times. */
  readonly pilingS: number
  /** Kept busy at its cap: what is refused would fill every gap. */
  readonly atCap: boolean
  /** Enough waited when the tick began to show the capacity. */
  readonly busy: boolean
  /** What waited when it began and what came suffice to keep the origin busy to its end. */
  readonly fed: boolean
}

export interface BacklogGround {
  /** Requests at the origin when the tick began and when it ended. */
  readonly before: number
  readonly after: number
  /** C as far as known; 0: not at all. */
  readonly capacity: number
  /** The cap on requests in flight and the limit in force; infinite: none. */
  readonly cap: number
  readonly limit: number
  /** So many in service are no evidence of queueing. */
  readonly harmless: number
}

export function backlogOf(flow: Flow, tick: Tick, pool: Pool, ground: BacklogGround): Backlog {
  const { meanS, slackS } = pool
  const { before, after, capacity } = ground
  const rate = tick.served / tick.seconds
  const goodput = flow.goodput === 0 ? rate : (flow.goodput + rate) / 2
  const recentS = recentOf(flow, tick)
  const lasting = flow.backlogged > 0
  const outflow = Math.max(goodput, 1 / Math.max(tick.seconds, meanS))
  const waitS = after / outflow - meanS
  const deep = waitS > (lasting ? slackS / 2 : slackS)
  const slow = recentS > meanS + slackS / (lasting ? 4 : 2)
  const refusing = tick.offered > 1.02 * tick.load && tick.load < 0.95 * ground.limit
  const queued = waitS * outflow >= 3 && waitS > 0.1 * meanS
  const atCap = refusing && queued && after >= 0.6 * ground.cap
  const full = capacity > 0 ? capacity : goodput
  // While the load rises, what is in service runs ahead of what is done: arrivals tell how many are to be expected.
  const usual = tick.load * meanS
  const expected = Math.max(ground.harmless, usual + 2 * Math.sqrt(usual))
  // A queue that lasts although little comes: the origin is busy, whatever was believed of its capacity.
  const queue = 1.5 * rate * meanS + 3
  const stubborn = flow.backlogged >= STUBBORN && slow && before >= queue && after >= queue
  const backlogged = !tick.silent && ((deep && slow) || atCap)
  return {
    flow: {
      goodput,
      recentS,
      calmS: meanS + slackS / 2,
      backlogged: backlogged ? flow.backlogged + 1 : 0,
    },
    backlogged,
    waitS,
    pilingS: (after - expected) / outflow,
    atCap,
    busy: capacity > 0 && before >= capacity * meanS + 2 * Math.sqrt(2 * capacity * tick.seconds),
    fed: atCap || before - full * meanS + tick.requests - full * tick.seconds >= 0 || stubborn,
  }
}
