import { type ArrivalsFactory, mmpp, poisson, replay } from '../clients/arrivals.ts'
import { dailyCycle, flashCrowd } from '../clients/profiles.ts'
import { constantRate, pieces, type RateProfile } from '../clients/rates.ts'
import { rateOf, rateTrace, readLog } from '../clients/trace.ts'
import { exponential } from '../engine/distributions.ts'
import type { LoadTest } from '../peers/peer.ts'
import { type BestLoads, clairvoyantOf } from '../tournament/best-load-table.ts'
import type { Contest, EdgeShape } from '../tournament/scenario.ts'
import { demandOf, plantOf, serviceOf } from './plant.ts'
import type { ParsedScenario } from './schema.ts'

/** A checked scenario file and the files that it names: a plain value that can be sent to a worker. */
export interface Content {
  readonly scenario: ParsedScenario
  /** The text of the CSV file, or of the log. */
  readonly trace?: string
  readonly log?: string
  /** Searched for before the runs start. */
  readonly best?: BestLoads
}

export function contestOfFile(content: Content): Contest {
  const { scenario, best } = content
  const { name, granularity, seconds, measureFromSeconds } = scenario
  if (best === undefined) throw new RangeError(`the best load for "${name}" is not known yet`)
  const demand = demandOf(scenario, profileOf(content), loadTestOf(scenario))
  return {
    name,
    text: scenario.text ?? name,
    plant: plantOf(scenario, arrivalsOf(content)),
    seconds,
    measureFromSeconds,
    clairvoyant: clairvoyantOf(granularity, best, demand),
    loadTest: loadTestOf(scenario),
    edge: edgeOf(scenario),
    kind: 'onset',
  }
}

/** The result of a load test of the origin in its first state. */
export function loadTestOf(scenario: ParsedScenario): LoadTest {
  const { origin, granularity } = scenario
  const serviceMs = serviceOf(origin.serviceMs).mean
  const perSecond = (origin.servers * 1000) / serviceMs
  if (granularity === 'request') return { saturationRate: perSecond, sessionMs: 0 }
  const { requests, thinkMs } = sessionOf(scenario)
  return {
    saturationRate: perSecond / requests,
    sessionMs: (requests - 1) * thinkMs + requests * serviceMs,
  }
}

export function sessionOf({ session }: ParsedScenario): { requests: number; thinkMs: number } {
  return session ?? { requests: 10, thinkMs: 10_000 }
}

function arrivalsOf(content: Content): ArrivalsFactory {
  const { bursts } = content.scenario.arrivals
  if (bursts !== undefined) {
    return mmpp(bursts.map(({ rate, meanS }) => ({ rate, meanMs: meanS * 1000 })))
  }
  return content.log === undefined ? poisson(profileOf(content)) : replay(readLog(content.log))
}

/** The expected rate at each moment. For bursts it is the mean. */
function profileOf({ scenario: { arrivals, seconds }, trace, log }: Content): RateProfile {
  const { rate, steps, flashCrowd: crowd, day, bursts } = arrivals
  if (rate !== undefined) return constantRate(rate)
  if (steps !== undefined) {
    return pieces(steps.map(([fromS, held]) => ({ fromMs: fromS * 1000, rate: held })))
  }
  if (crowd !== undefined) {
    const { base, peak, startS, doublingS, holdS } = crowd
    const times = { startMs: startS * 1000, doublingMs: doublingS * 1000, holdMs: holdS * 1000 }
    return flashCrowd({ base, peak, ...times })
  }
  if (day !== undefined) {
    const { mean, swing, peakS, dayS } = day
    const days = Math.ceil(seconds / dayS)
    return dailyCycle({ mean, swing, days, peakMs: peakS * 1000, dayMs: dayS * 1000 })
  }
  if (bursts !== undefined) {
    const time = bursts.reduce((sum, { meanS }) => sum + meanS, 0)
    return constantRate(bursts.reduce((sum, state) => sum + state.rate * state.meanS, 0) / time)
  }
  return log === undefined ? rateTrace(trace ?? '') : rateOf(readLog(log))
}

const LATE_MS = 2000

function edgeOf({ edge: { colos, isolates, skew, lost, late } }: ParsedScenario): EdgeShape {
  const faults = { lost, late: { part: late, by: exponential({ mean: LATE_MS }) } }
  return {
    colos,
    isolates,
    skew,
    toRelay: { delay: exponential({ mean: 5 }), ...faults },
    toCoordinator: { delay: exponential({ mean: 40 }), ...faults },
  }
}
