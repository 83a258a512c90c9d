import { Agenda } from '../engine/agenda.ts'
import { exponential } from '../engine/distributions.ts'
import { type Random, type Streams, streams } from '../engine/random.ts'
import { Coordinator } from './coordinator.ts'
import { Isolate } from './isolate.ts'
import { MessageTraffic } from './message-traffic.ts'
import { Way } from './network.ts'
import { LabPlanCache } from './plan-cache.ts'
import { planetRoute } from './planet-route.ts'
import { Relay } from './relay.ts'
import { runWithPromises, Timers } from './timers.ts'

/** Data centres by region, about as a large CDN has them. */
const REGIONS = { NA: 100, AS: 95, EU: 65, SA: 40, AF: 20, OC: 10 } as const
const CROWD_REGION = 'EU'
/** The k-th data centre of a region has 1/k^SKEW of what its first has. */
const SKEW = 0.15
const SERVICE_MS = 50
/** All isolates start within these seconds, which are not counted. */
const START_S = 6
/** How far relays, regions and the coordinator are apart: mean delays of one way. */
const TO_RELAY_MS = 5
const TO_UPPER_MS = 40

/** No object should get more requests in a second. */
export const MOST_PER_SECOND = 200

export interface PlanetOptions {
  readonly seed: number
  readonly isolates: number
  /** Requests per second, worldwide, in calm. */
  readonly calm: number
  /** Requests per second that the plan allows. */
  readonly limit: number
  /** How many times as many requests come in one region from the onset on. */
  readonly crowd: number
  readonly onsetS: number
  readonly seconds: number
}

export const PLANET: PlanetOptions = {
  ...{ seed: 1, isolates: 20_000, calm: 16_000, limit: 24_000, crowd: 20, onsetS: 12, seconds: 22 },
}

/** As many data centres, so that regions report for them, with fewer isolates and requests. */
export const SMALL_PLANET: PlanetOptions = {
  ...PLANET,
  ...{ isolates: 1320, calm: 660, limit: 990, onsetS: 8, seconds: 12 },
}

export interface PlanetFigure {
  readonly dataCentres: number
  readonly isolates: number
  readonly objects: readonly ObjectFigure[]
  /** In bytes as JSON. */
  readonly largestReport: number
  readonly largestPlan: number
  /** Of the coordinator: milliseconds of processor time in a second, on average. */
  readonly coordinatorMs: number
  /** Requests by second from the onset on: offered and admitted, in parts of the limit. */
  readonly offered: readonly number[]
  readonly admitted: readonly number[]
}

/** Of one kind of object: how many there are, and what one of them gets, in requests per second. */
export interface ObjectFigure {
  readonly kind: string
  readonly when: 'calm' | 'crowd'
  readonly objects: number
  readonly mostPerSecond: number
  readonly perSecond: number
}

interface DataCentre {
  readonly region: string
  readonly isolates: readonly Isolate[]
  /** Requests per second in calm. */
  readonly rate: number
  readonly random: Random
}

/**
 * The whole edge in simulated time: the product's own reporters, relays, regions and coordinator. The limit is told, so
 * that what differs from it is the edge's doing. The origin answers everybody after the same time.
 */
export async function planetFigure(
  options: PlanetOptions,
  processorMs: () => number,
): Promise<PlanetFigure> {
  const { seed, seconds, onsetS, limit, crowd } = options
  const agenda = new Agenda()
  const timers = new Timers(agenda)
  const traffic = new MessageTraffic(() => agenda.nowMs, processorMs)
  const centres = dataCentres(options, timers, streams(seed), traffic)
  const offered = Array<number>(seconds).fill(0)
  const admitted = Array<number>(seconds).fill(0)
  let visitors = 0

  const visit = async ({ isolates, random }: DataCentre): Promise<void> => {
    const isolate = isolates[Math.floor(random.next() * isolates.length)]!
    const request = { classIndex: 0, sessionAgeMs: null, visitor: visitors++ }
    offered[Math.floor(agenda.nowMs / 1000)]!++
    if (!(await isolate.admits(request, agenda.nowMs))) return
    const second = Math.floor(agenda.nowMs / 1000)
    if (second < seconds) admitted[second]!++
    const inFlight = isolate.begins(request, agenda.nowMs)
    timers.after(SERVICE_MS, () => isolate.settles(inFlight, 0, 'served', agenda.nowMs))
  }
  const arrivals = agenda.register({
    handle(_kind, i) {
      const centre = centres[i]!
      void visit(centre)
      agenda.interrupt()
      next(i)
    },
  })
  const next = (i: number): void => {
    const { region, rate, random } = centres[i]!
    const isCrowd = region === CROWD_REGION && agenda.nowMs >= onsetS * 1000
    const gapMs = exponential({ mean: 1000 / (rate * (isCrowd ? crowd : 1)) }).draw(random)
    agenda.schedule(agenda.nowMs + gapMs, arrivals, 0, i)
  }
  for (const i of centres.keys()) next(i)
  await runWithPromises(agenda, seconds * 1000 - 1)
  const { largestReport, largestPlan, coordinatorMs } = traffic
  const objects = (['relay', 'region', 'coordinator'] as const).flatMap((kind): ObjectFigure[] => [
    { kind, when: 'calm', ...traffic.of(kind, START_S, onsetS) },
    { kind, when: 'crowd', ...traffic.of(kind, onsetS, seconds) },
  ])
  return {
    ...{ dataCentres: centres.length, isolates: options.isolates, objects },
    ...{ largestReport, largestPlan, coordinatorMs: coordinatorMs / seconds },
    offered: offered.slice(onsetS).map((count) => count / limit),
    admitted: admitted.slice(onsetS).map((count) => count / limit),
  }
}

function dataCentres(
  { isolates, calm, limit }: PlanetOptions,
  timers: Timers,
  random: Streams,
  traffic: MessageTraffic,
): readonly DataCentre[] {
  const route = planetRoute(limit)
  const coordinator = traffic.counting('coordinator', 'coordinator', new Coordinator(timers))
  const way = (name: string, mean: number): Way =>
    new Way(timers, random(name), { delay: exponential({ mean }) })
  const weights = Object.entries(REGIONS).flatMap(([region, count]) =>
    Array.from({ length: count }, (_, k) => ({ region, weight: count ** SKEW / (k + 1) ** SKEW })),
  )
  const sum = weights.reduce((total, { weight }) => total + weight, 0)
  const regions = Object.fromEntries(
    Object.keys(REGIONS).map((name) => {
      const relay = new Relay(`origin@region ${name}`, coordinator, way(name, TO_UPPER_MS), timers)
      return [name, traffic.counting('region', name, relay)]
    }),
  )
  return weights.map(({ region, weight }, i) => {
    const name = `origin@${i}`
    const upper = regions[region]!
    const own = new Relay(name, coordinator, way(name, TO_UPPER_MS), timers, upper)
    const relay = traffic.counting('relay', name, own)
    const cache = new LabPlanCache(timers)
    const count = Math.max(1, Math.round((isolates * weight) / sum))
    const born = (_: unknown, k: number): Isolate => {
      const parts = { relay, cache, timers, random: random(`${name}.${k}`) }
      return new Isolate(`${name}.${k}`, route, {
        ...parts,
        way: way(`${name}.${k} to relay`, TO_RELAY_MS),
      })
    }
    return {
      ...{ region, rate: (calm * weight) / sum, random: random(`${name} visitors`) },
      isolates: Array.from({ length: count }, born),
    }
  })
}
