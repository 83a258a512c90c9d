import { poissonTimes, type RatePhase } from '../crowd/arrivals.ts'
import type { Session } from '../crowd/session.ts'
import { type Coin, coinsOf, exponential } from '../random.ts'
import { nominalPerSecond } from './capacity.ts'
import type { CrowdPart, CrowdWorld, TrialCase } from './trial-case.ts'

const MOST_PAGES = 100
const ONE_PART: readonly CrowdPart[] = [{ name: 'page', part: 1 }]

/** The crowd of a trial: Poisson arrivals of sessions, all drawn from the seed. */
export function* sessionsOf(trial: TrialCase, seed: number): Generator<Session> {
  const { crowd } = trial
  const coins = {
    parts: coinsOf(seed, 'parts'),
    pages: coinsOf(seed, 'pages'),
    thinks: coinsOf(seed, 'thinks'),
  }
  for (const atMs of poissonTimes(phasesOf(trial), coinsOf(seed, 'arrivals'))) {
    const name = partOf(crowd.parts ?? ONE_PART, coins.parts())
    const count = geometric(crowd.pages, coins.pages)
    const pages = Array.from({ length: count }, (_, i) => ({ kind: name, path: `/${name}/${i}` }))
    yield { atMs, pages, thinkMs: pages.map(() => exponential(crowd.thinkMs, coins.thinks)) }
  }
}

/** Rates of sessions: one session counts with the mean number of pages. */
export function phasesOf({ crowd, origin, seconds }: TrialCase): RatePhase[] {
  const sessionsPerSecond = nominalPerSecond(origin) / crowd.pages
  return crowd.load.map(({ fromS, load }, i) => ({
    fromMs: 1000 * fromS,
    toMs: 1000 * (crowd.load[i + 1]?.fromS ?? seconds),
    perSecond: load * sessionsPerSecond,
  }))
}

/** Largest rate of requests that the crowd can send, if all of it is served or keeps retrying. */
export function mostPerSecond(trial: TrialCase): number {
  const { pages, retry } = trial.crowd
  const sessions = Math.max(...phasesOf(trial).map(({ perSecond }) => perSecond))
  const tries = retry === undefined || retry.kind === 'never' ? 1 : 1 + retry.most
  // The refused try again; of the others, no more than the capacity goes on to further pages.
  return sessions * tries + (nominalPerSecond(trial.origin) * (pages - 1)) / pages
}

export function partNames({ parts = ONE_PART }: CrowdWorld): readonly string[] {
  return parts.map(({ name }) => name)
}

/** 1, 2, 3, … with this mean. */
function geometric(mean: number, coin: Coin): number {
  if (mean <= 1) return 1
  const count = 1 + Math.floor(Math.log(1 - coin()) / Math.log(1 - 1 / mean))
  return Math.min(MOST_PAGES, count)
}

function partOf(parts: readonly CrowdPart[], coin: number): string {
  let below = 0
  for (const { name, part } of parts) {
    below += part
    if (coin < below) return name
  }
  return parts[parts.length - 1]!.name
}
