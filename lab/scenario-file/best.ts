import { poisson } from '../clients/arrivals.ts'
import { constantRate } from '../clients/rates.ts'
import { bestLoad } from '../gate/best-load.ts'
import type { BestLoads } from '../tournament/best-load-table.ts'
import { type Content, contestOfFile, loadTestOf } from './contest.ts'
import { plantOf } from './plant.ts'

/** The runs use other seeds. */
const SEEDS = [101, 102]
/** Arrivals as a multiple of the origin's capacity. */
const OVERLOAD = 2
/** Length of a search run, in requests. */
const REQUESTS = 20_000

/** A number of servers at one speed. */
export interface State {
  readonly servers: number
  readonly speed: number
}

/** The states of the origin during the scenario, one for each capacity. A standstill is left out. */
export function statesOf({ scenario }: Content): readonly State[] {
  let state: State = { servers: scenario.origin.servers, speed: 1 }
  const states = new Map([[capacityOf(state), state]])
  for (const { servers, speed } of scenario.changes.toSorted((a, b) => a.atS - b.atS)) {
    state = { servers: servers ?? state.servers, speed: speed ?? state.speed }
    if (state.speed > 0) states.set(capacityOf(state), state)
  }
  return [...states.values()].sort((a, b) => capacityOf(a) - capacityOf(b))
}

export const capacityOf = ({ servers, speed }: State): number => servers * speed

/** The best load in one of these states, under constant overload. */
export function bestLoadIn({ scenario }: Content, state: State): number {
  const { granularity, sla, origin } = scenario
  const capacity = capacityOf(state)
  const { saturationRate, sessionMs } = loadTestOf(scenario)
  const rate = (saturationRate * capacity) / origin.servers
  const perSecond = granularity === 'request' ? rate : rate * requestsOf(scenario)
  const lengthS = REQUESTS / perSecond
  const warmUpS = Math.min(lengthS / 2, (3 * sessionMs) / 1000)
  const plant = {
    ...plantOf(scenario, poisson(constantRate(OVERLOAD * rate))),
    changes: [{ atMs: 0, ...state }],
  }
  // By Little's law, more requests than this cannot be answered within the target.
  const most = (perSecond * sla.targetMs) / 1000 + capacity
  const active = rate * (sessionMs / 1000)
  const [low, high] =
    granularity === 'request' ? [capacity / 4, most] : [0.4 * active, 1.6 * active + most]
  return bestLoad({
    plant,
    low: Math.max(1, Math.floor(low)),
    high: Math.ceil(high),
    seeds: SEEDS,
    seconds: Math.ceil(lengthS + warmUpS),
    measureFromSeconds: Math.floor(warmUpS),
  })
}

/** The content with the best loads, which a contest needs. */
export function withBest(content: Content, loads: BestLoads['loads']): Content {
  const whole = { ...content, best: { loads, reserve: FULL_RESERVE } }
  contestOfFile(whole) // throws here if it throws at all
  return whole
}

/** The part of the demand of more valuable classes that is kept free for them. */
const FULL_RESERVE = 0.8

function requestsOf({ session }: Content['scenario']): number {
  return session?.requests ?? 10
}
