import type { CapacityRules } from '../../config/capacity-rules.ts'
import { type CapacityAnswer, type CapacityReason, pastTolerance } from './answer.ts'
import type { CapacityState } from './planner-state.ts'
import { boundedStep, fixedStep } from './reactor.ts'
import { type Sizing, sizeTiers } from './size-tiers.ts'
import type { RatedTier } from './tier-rates.ts'

/** A tier that is used more than this is near saturation, and a fixed step adds to it. */
const NEAR_SATURATION = 0.7

interface Wanted {
  /** By the model and the arbitration. */
  readonly wanted: number
  readonly reason: CapacityReason
  readonly planned: number
  readonly react: CapacityRules['react']
  readonly requestsPerSession: number
}

/** The next number of servers of a tier. A prediction changes it at once, a reaction by at most Δ. */
export function nextServers(
  tier: RatedTier,
  { wanted, reason, planned, react, requestsPerSession }: Wanted,
): number {
  const { min, max, current, source } = tier
  const bounded = (servers: number): number => Math.min(max, Math.max(min, servers))
  if (source === 'unknown') return bounded(current)
  if (reason === 'predicted' || reason === 'shared') return bounded(wanted)
  const isMore = reason === 'steady' ? wanted > current : reason !== 'low'
  let next = wanted
  if (react.step !== 'model' && wanted !== current) {
    const isNear = planned > NEAR_SATURATION * carriedBy([tier], [current], requestsPerSession)
    next = isMore && !isNear ? current : fixedStep(current, react.step, isMore)
  }
  // A reaction to a higher load never takes servers away, and one to a lower load never adds any.
  const isFree = reason === 'steady'
  const directed = isFree ? next : isMore ? Math.max(current, next) : Math.min(current, next)
  return bounded(boundedStep(current, directed, react))
}

/** Where nobody reports the servers, the last decision is taken as done once a new server has had time to start. */
export function serversNow(
  { answer, current }: Pick<CapacityState, 'answer' | 'current'>,
  nowMs: number,
  startupS: number,
): Readonly<Record<string, number>> {
  const isDone = answer !== null && nowMs - answer.decidedAtMs >= startupS * 1000
  const assumed = Object.entries(answer?.tiers ?? {}).map(
    ([name, tier]) => [name, isDone ? tier.desired : tier.current] as const,
  )
  return { ...Object.fromEntries(assumed), ...current }
}

/** Session rate that these servers carry. */
function carriedBy(
  tiers: readonly RatedTier[],
  servers: readonly number[],
  requestsPerSession: number,
): number {
  const fixed = tiers.map((tier, i) => ({ ...tier, min: servers[i]!, max: servers[i]! }))
  return sizeTiers(0, requestsPerSession, fixed).carries
}

/** The part of the answer that is about the tiers. */
export function sizedAnswer(
  rated: readonly RatedTier[],
  sizing: Sizing,
  desired: readonly number[],
  requestsPerSession: number,
): Pick<CapacityAnswer, 'carries' | 'limitedBy' | 'heldRate' | 'tiers'> {
  const limited = rated.find(({ name }) => name === sizing.limitedBy)
  const tiers = rated.map((tier, i) => {
    const { name, rate, current, min, max, source, serviceMs, responseMs, visits } = tier
    const servers = desired[i]!
    const answer = {
      ...{ current, desired: servers, min, max, source, serviceMs, responseMs, visits },
      needed: source === 'unknown' ? null : sizing.tiers[i]!.needed,
      hpaDesired: pastTolerance(current, servers, max),
      percent: (100 * servers) / current,
      serverRate: finiteOrNull(rate),
    }
    return [name, answer] as const
  })
  return {
    carries: finiteOrNull(carriedBy(rated, desired, requestsPerSession)),
    limitedBy: sizing.limitedBy,
    // Only a tier that is modelled says what it carries. The learner's own limit is in force anyway.
    heldRate: limited && isModelled(limited) ? sizing.carries : null,
    tiers: Object.fromEntries(tiers),
  }
}

const isModelled = ({ source }: RatedTier): boolean => source === 'model' || source === 'configured'

const finiteOrNull = (value: number): number | null => (Number.isFinite(value) ? value : null)
