import { number, object, type StateSchema } from '../../lib/state-schema.ts'
import { type Demand, isDemand, NO_DEMAND, observeDemand, withoutSessions } from './demand.ts'
import { withoutEnded } from './ended-sessions.ts'
import { type Kernel, type KernelPrior, kernelOf, requestsOf } from './kernel.ts'
import type { Tick } from './tick.ts'

/** The sessions that were admitted, and what they are going to ask for. */
export interface Sessions {
  readonly demand: Demand
  /** Measured over forecast load, a slow correction. */
  readonly bias: number
}

export const NO_SESSIONS: Sessions = { demand: NO_DEMAND, bias: 1 }

export const isSessions: StateSchema = object({ demand: isDemand, bias: number })

const BIAS_WEIGHT = 0.02
const LEAST_BIAS = 0.7
const MOST_BIAS = 1.4
/** Before this part of a session's requests has been watched, the kernel is still finding itself. */
const WATCHED = 0.7

export interface Foreseen {
  readonly sessions: Sessions
  readonly kernel: Kernel
}

/** `vanished`: clients that gave up; `queued`: there is a queue. */
export function observeSessions(
  { demand: before, bias: oldBias }: Sessions,
  tick: Tick,
  { vanished, queued }: { readonly vanished: number; readonly queued: boolean },
  prior: KernelPrior,
): Foreseen {
  const { demand: seen, exposureS } = observeDemand(withoutEnded(before, tick.ended ?? []), tick)
  const kernel = kernelOf(seen, prior)
  const demand = vanished > 0 ? withoutSessions(seen, kernel.rates, vanished) : seen
  const expected = requestsOf(kernel, exposureS)
  const ratio = tick.requests / Math.max(expected, 1)
  // A queue makes sessions slower, so that they ask for less: that is no reason to foresee less for later.
  const telling = expected > 1 && kernel.watched > WATCHED && (ratio > oldBias || !queued)
  const moved = telling ? oldBias + BIAS_WEIGHT * (ratio - oldBias) : oldBias
  const bias = Math.min(MOST_BIAS, Math.max(LEAST_BIAS, moved))
  return { sessions: { demand, bias }, kernel }
}
