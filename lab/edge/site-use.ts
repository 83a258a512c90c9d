import { Agenda } from '../engine/agenda.ts'
import { exponential } from '../engine/distributions.ts'
import { streams } from '../engine/random.ts'
import { BusyTime } from './busy-time.ts'
import { Coordinator } from './coordinator.ts'
import { Isolate } from './isolate.ts'
import { MessageTraffic } from './message-traffic.ts'
import { Way } from './network.ts'
import { LabPlanCache } from './plan-cache.ts'
import { planetRoute } from './planet-route.ts'
import { Relay } from './relay.ts'
import { runWithPromises, Timers } from './timers.ts'

const SERVICE_MS = 50
const TO_RELAY_MS = 5
const TO_COORDINATOR_MS = 40
/** The start is not counted: calm has to last for 30 s before anybody reports less often. */
const START_S = 40
/** The origin can take so many times the traffic, and at least so many requests per second. */
const LIMIT_FACTOR = 3
const LEAST_LIMIT = 20

/** A site in calm: its requests per second, its data centres, and the isolates in each. */
export interface SiteSize {
  readonly rps: number
  readonly dataCentres: number
  readonly isolates: number
}

/** Sizes whose use is measured. Data centres and isolates are assumptions. */
export const SITE_SIZES: readonly SiteSize[] = [
  { rps: 1, dataCentres: 1, isolates: 1 },
  { rps: 10, dataCentres: 2, isolates: 1 },
  { rps: 100, dataCentres: 5, isolates: 2 },
  { rps: 1000, dataCentres: 10, isolates: 4 },
  { rps: 10_000, dataCentres: 30, isolates: 10 },
]

/** What is measured, in each second, of all objects of a kind together. */
export interface SiteUse extends SiteSize {
  readonly relayRequests: number
  readonly coordinatorRequests: number
  readonly alarms: number
  /** Times that the coordinator stores its state. */
  readonly ticks: number
  /** Seconds in which a relay handles a report, waits for an answer or has a timer. Otherwise it may hibernate. */
  readonly relayBusy: number
}

/** Messages of a site in calm, through the product's own reporters, relays and coordinator. */
export async function siteUse(size: SiteSize, seconds: number, seed = 1): Promise<SiteUse> {
  const { rps, dataCentres, isolates } = size
  const agenda = new Agenda()
  const timers = new Timers(agenda)
  const random = streams(seed)
  const traffic = new MessageTraffic(
    () => agenda.nowMs,
    () => 0,
  )
  const busy = Array.from({ length: dataCentres }, () => new BusyTime(() => agenda.nowMs))
  const own = new Coordinator(timers)
  const coordinator = traffic.counting('coordinator', 'coordinator', own)
  const route = planetRoute(Math.max(LEAST_LIMIT, LIMIT_FACTOR * rps))
  const wayOf = (name: string, mean: number): Way =>
    new Way(timers, random(name), { delay: exponential({ mean }) })
  const all = busy.flatMap((watch, i) => {
    const way = wayOf(`way ${i}`, TO_COORDINATOR_MS)
    const relay = traffic.counting(
      'relay',
      `origin@${i}`,
      new Relay(`origin@${i}`, coordinator, way, timers, undefined, watch),
    )
    const cache = new LabPlanCache(timers)
    return Array.from({ length: isolates }, (_, k) => {
      const name = `isolate ${i}.${k}`
      const parts = { relay, cache, timers, random: random(name) }
      return new Isolate(name, route, { ...parts, way: wayOf(`${name} way`, TO_RELAY_MS) })
    })
  })
  const places = random('places')
  let visitors = 0
  const visit = async (): Promise<void> => {
    const isolate = all[Math.floor(places.next() * all.length)]!
    const request = { classIndex: 0, sessionAgeMs: null, visitor: visitors++ }
    if (!(await isolate.admits(request, agenda.nowMs))) return
    const inFlight = isolate.begins(request, agenda.nowMs)
    timers.after(SERVICE_MS, () => isolate.settles(inFlight, 0, 'served', agenda.nowMs))
  }
  const gap = exponential({ mean: 1000 / rps })
  const arrivals = agenda.register({
    handle() {
      void visit()
      agenda.interrupt()
      agenda.schedule(agenda.nowMs + gap.draw(places), arrivals, 0, 0)
    },
  })
  agenda.schedule(0, arrivals, 0, 0)
  await runWithPromises(agenda, START_S * 1000 - 1)
  for (const watch of busy) watch.restart()
  const before = { alarms: own.alarms, ticks: own.ticks }
  await runWithPromises(agenda, seconds * 1000 - 1)
  const counted = seconds - START_S
  const busyMs = busy.reduce((sum, watch) => sum + watch.busyMs, 0)
  return {
    ...size,
    relayRequests: rounded(traffic.of('relay', START_S, seconds).perSecond * dataCentres),
    coordinatorRequests: rounded(traffic.of('coordinator', START_S, seconds).perSecond),
    alarms: rounded((own.alarms - before.alarms) / counted),
    ticks: rounded((own.ticks - before.ticks) / counted),
    relayBusy: rounded(busyMs / 1000 / counted),
  }
}

const rounded = (value: number): number => Math.round(value * 100) / 100
