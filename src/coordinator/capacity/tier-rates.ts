import type { CapacityRules, CapacityTier } from '../../config/capacity-rules.ts'
import type { RateSource } from './answer.ts'
import { arrivalVariability, type LoadMeasure, sessionTimes } from './load-measure.ts'
import { type JudgedResponses, jointMeanTargetMs, partsOf } from './mean-target.ts'
import { serverRate, variabilityPerServer, withConcurrency } from './server-rate.ts'
import type { TierCapacity } from './size-tiers.ts'
import { type ServiceEstimate, serviceOf, type TierMeasures } from './tier-measures.ts'

/** A tier with the rate of its servers, and where this rate comes from. */
export interface RatedTier extends TierCapacity {
  readonly source: RateSource
  readonly current: number
  readonly serviceMs: number | null
  readonly responseMs: number | null
}

interface Known {
  readonly rules: CapacityRules
  readonly tiers: TierMeasures
  readonly load: LoadMeasure
  readonly current: Readonly<Record<string, number>>
  readonly requestsPerSession: number
  /** By each SLA that must be kept. */
  readonly judged: readonly JudgedResponses[]
  /** The learner's limit, in sessions per second; null: no limit is known. */
  readonly limit: number | null
  /** What the origin serves now, in sessions per second. */
  readonly servedRate: number
}

/**
 * The rate of one server of each tier. A tier that reports its times is modelled. A tier that tells nothing gets its
 * part of the black-box capacity that the learner has found.
 */
export function ratedTiers(known: Known): readonly RatedTier[] {
  const { rules, current } = known
  const services = rules.tiers.map((tier) => estimateOf(tier, known.tiers))
  const timesMs = services.map((service) => (service?.serviceMs ?? 0) * (service?.visits ?? 1))
  const parts = partsOf(rules.tiers.map(({ part }, i) => ({ part, timeMs: timesMs[i]! })))
  const workMs = timesMs.reduce((sum, ms) => sum + ms, 0)
  const meanMs = jointMeanTargetMs(known.judged, workMs)
  return rules.tiers.map((tier, i): RatedTier => {
    const service = services[i]!
    const servers = current[tier.name] ?? tier.servers
    const base = { name: tier.name, min: tier.min, max: tier.max, current: servers }
    const visits = service?.visits ?? 1
    // A request may visit the tier several times. Each visit has its part of the time.
    const responseMs = service === null ? null : (meanMs * parts[i]!) / Math.max(1, visits)
    const modelled =
      service === null ? null : modelledRate(tier, service, responseMs!, servers, known)
    const serviceMs = service?.serviceMs ?? null
    if (modelled !== null)
      return { ...base, visits, rate: modelled, source: service!.source, serviceMs, responseMs }
    const blackBox = blackBoxRate(servers, known)
    return {
      ...base,
      visits: 1,
      rate: blackBox ?? Number.POSITIVE_INFINITY,
      source: blackBox === null ? 'unknown' : 'learner',
      serviceMs,
      responseMs,
    }
  })
}

interface SourcedEstimate extends ServiceEstimate {
  readonly source: RateSource
}

function estimateOf(tier: CapacityTier, measures: TierMeasures): SourcedEstimate | null {
  const measured = serviceOf(measures[tier.name])
  if (measured !== null) return { ...measured, source: 'model' }
  if (tier.serviceMs === null) return null
  return { serviceMs: tier.serviceMs, variability: 1, visits: 1, source: 'configured' }
}

/** null: the service alone takes longer than the tier's part of the target. */
function modelledRate(
  { workers, concurrency }: CapacityTier,
  { serviceMs, variability, visits }: ServiceEstimate,
  responseMs: number,
  servers: number,
  { load, requestsPerSession }: Known,
): number | null {
  const arrivals = variabilityPerServer(arrivalVariability(load), servers)
  const rate = serverRate({ responseMs, serviceMs }, { arrivals, service: variability }, workers)
  if (rate === null) return null
  const times = sessionTimes(load, requestsPerSession)
  // A session of unknown length is taken as one of ten minutes.
  const perSession = (visits * requestsPerSession) / Math.max(1, times?.lengthS ?? 600)
  return withConcurrency(rate, responseMs, concurrency, perSession)
}

/** All servers of the tier together carry the learner's limit, or at least what is served now. */
function blackBoxRate(
  servers: number,
  { limit, servedRate, requestsPerSession }: Known,
): number | null {
  const carried = limit ?? servedRate
  return carried > 0 ? (carried * requestsPerSession) / servers : null
}
