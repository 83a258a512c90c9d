import { streams } from '../../lab/engine/random.ts'
import { distributionOf } from '../origin/service-law.ts'
import { Station } from '../origin/station.ts'
import { coinsOf, exponential } from '../random.ts'
import type { TrialCase } from './trial-case.ts'

/** The search begins with as many visitors as offer this load without any waiting. */
const FIRST_LOAD = 0.5
const GROWTH = 1.05
const MOST_VISITORS = 10_000
const JOBS = 15_000
const SEED = 1

/**
 * The best rate within the SLA over all constant numbers of visitors that keep the SLA. There is no
 * gate: the visitors use the origin's own station, in simulated time, and a new one comes as soon as
 * one has left. No gate that admits sessions can hold the load more evenly.
 */
export function bestGoodput(trial: TrialCase): number {
  const { origin, crowd } = trial
  const cycleMs = origin.service.meanMs + crowd.thinkMs * (1 - 1 / crowd.pages)
  const first = (FIRST_LOAD * origin.servers * cycleMs) / origin.service.meanMs
  let best = 0
  for (let visitors = Math.ceil(first); visitors < MOST_VISITORS; ) {
    const perSecond = goodputOf(trial, visitors)
    // More visitors never make an origin faster.
    if (perSecond === null) break
    best = Math.max(best, perSecond)
    visitors = Math.ceil(visitors * GROWTH)
  }
  return best
}

/** null: these are too many for the SLA. */
function goodputOf(trial: TrialCase, visitors: number): number | null {
  const { origin, targetMs, percentile = 95, crowd } = trial
  const mostLate = JOBS * (1 - percentile / 100)
  const station = new Station<number>(origin)
  const service = distributionOf(origin.service)
  const demands = streams(SEED)('service')
  const [leaves, thinks] = [coinsOf(SEED, 'leaves'), coinsOf(SEED, 'thinks')]
  /** Times of the next requests of all visitors who are not waiting, latest first. */
  const next: number[] = []
  const askAt = (ms: number) => next.splice(next.findLastIndex((other) => other >= ms) + 1, 0, ms)
  const thinkMs = () => (leaves() * crowd.pages < 1 ? 0 : exponential(crowd.thinkMs, thinks))
  // Not all at once: that would be a burst that a gate would not let happen.
  for (let i = 0; i < visitors; i++) askAt(exponential(crowd.thinkMs, thinks))
  let [nowMs, late, ended] = [0, 0, 0]
  while (ended < JOBS && late <= mostLate) {
    const askMs = next.at(-1) ?? Number.POSITIVE_INFINITY
    const endMs = station.nextEndMs ?? Number.POSITIVE_INFINITY
    nowMs = Math.min(askMs, endMs)
    if (askMs <= endMs) {
      next.pop()
      if (station.arrive(nowMs, service.draw(demands), nowMs)) continue
      late++
      ended++
      askAt(nowMs + 1 + thinkMs())
    }
    for (const { tag, endedMs } of station.advance(nowMs)) {
      ended++
      if (endedMs - tag > targetMs) late++
      askAt(endedMs + thinkMs())
    }
  }
  return late > mostLate ? null : (1000 * (ended - late)) / nowMs
}
