import { type Draws, rounded } from './draws.ts'
import { serviceQuantile } from './service.ts'
import type { OriginSpec, ServiceLaw, SlaSpec, TroubleSpec } from './spec.ts'

/** Requests per second: a larger origin gets longer service times instead (docs/worlds.md). */
export const MOST_CAPACITY = 1500

/** An idle origin answers its percentile in this part of the target at the most: the promise can be kept. */
const LEAST_SLACK = 1.25

/** So many may wait by chance in calm: nothing breaks before the surge. */
const CALM_QUEUE = 16

const WINDOW_MS = 60_000

/** `mostCapacity`: in requests per second, at most `MOST_CAPACITY`. */
export function drawOrigin(draws: Draws, targetFactor: number, mostCapacity: number): OriginSpec {
  const servers = draws.logWhole(1, 64)
  const drawnMs = draws.logUniform(5, 500, 1)
  const meanMs = Math.max(drawnMs, rounded((servers * 1000) / mostCapacity, 1))
  const service = { ...drawLaw(draws), meanMs }
  const discipline = draws.chance(0.6) ? 'fifo' : 'sharing'
  const thrashes = draws.chance(0.2)
  const thrashFactor = draws.uniform(2, 6)
  const wastes = draws.chance(0.5)
  const fails = draws.chance(0.15)
  const failFactor = draws.uniform(0.5, 2)
  // What waits when the percentile of the response time is about the target, by Little's law.
  const targetMs = targetFactor * serviceQuantile({ service }, 0.95)
  const waiting = (servers * targetMs) / meanMs
  return {
    servers,
    service,
    discipline,
    thrashesAbove: thrashes ? Math.ceil(servers * thrashFactor) + CALM_QUEUE : null,
    wastesWork: discipline === 'sharing' || wastes,
    failsAbove: fails ? servers + Math.ceil(Math.max(CALM_QUEUE, waiting * failFactor)) : null,
  }
}

function drawLaw(draws: Draws): ServiceLaw {
  const law = draws.oneOf([
    'constant',
    'uniform',
    'exponential',
    'log-normal',
    'hyperexponential',
    'pareto',
  ] as const)
  switch (law) {
    case 'uniform':
      return { law, spread: draws.uniform(0.1, 0.5, 2) }
    case 'log-normal':
      return { law, cv: draws.uniform(0.5, 2.5, 2) }
    case 'hyperexponential':
      return { law, cv: draws.uniform(1.5, 3, 2) }
    case 'pareto':
      return { law, shape: draws.uniform(1.7, 3, 2) }
    default:
      return { law }
  }
}

export function slaOf(origin: OriginSpec, percentile: number, targetFactor: number): SlaSpec {
  const targetMs = Math.max(
    targetFactor * serviceQuantile(origin, 0.95),
    LEAST_SLACK * serviceQuantile(origin, percentile / 100),
  )
  return { percentile, targetMs: Math.ceil(targetMs), windowMs: WINDOW_MS }
}

/** `surgeS`: how long the surge lasts. */
export function drawTrouble(draws: Draws, surgeS: number): TroubleSpec {
  const kind = draws.weighted({ none: 45, loss: 12, 'loss and return': 12, return: 8, leak: 10, pauses: 13 }) // biome-ignore format: one line
  const left = draws.uniform(0.4, 0.85, 2)
  const atS = draws.uniform(0.15 * surgeS, 0.5 * surgeS, 0)
  const backAtS = atS + draws.uniform(0.15 * surgeS, 0.35 * surgeS, 0)
  const abrupt = draws.chance(0.5)
  switch (kind) {
    case 'none':
      return { kind }
    case 'loss':
      return { kind, left, atS, backAtS: null, abrupt }
    case 'loss and return':
      return { kind: 'loss', left, atS, backAtS, abrupt }
    case 'return':
      return { kind, left, backAtS: atS }
    case 'leak':
      return { kind, left, fromS: rounded(atS / 2, 0), toS: backAtS }
    case 'pauses':
      return {
        kind,
        everyS: draws.logUniform(15, 60, 1),
        lengthS: draws.logUniform(0.2, 2, 1),
      }
  }
}
