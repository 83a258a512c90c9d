/** What a site's objects do in each second of calm, all objects of a kind together: the output of `npm run lab -- site-use`. */
export interface MeasuredUse {
  /** Requests per second to the site. */
  readonly rps: number
  /** Data centres, and isolates in each: assumptions. */
  readonly dataCentres: number
  readonly isolates: number
  readonly relayRequests: number
  readonly coordinatorRequests: number
  /** Alarms of the coordinator, and ticks: each writes a row. */
  readonly alarms: number
  readonly ticks: number
  /** Seconds in which relays work, wait for an answer or have a timer: only those are charged. */
  readonly relayBusy: number
}

export const MEASURED_USE: readonly MeasuredUse[] = [
  {
    rps: 1,
    dataCentres: 1,
    isolates: 1,
    relayRequests: 0.47,
    coordinatorRequests: 0.1,
    alarms: 0.1,
    ticks: 0.12,
    relayBusy: 0.01,
  },
  {
    rps: 10,
    dataCentres: 2,
    isolates: 1,
    relayRequests: 1.98,
    coordinatorRequests: 1.02,
    alarms: 0.5,
    ticks: 0.75,
    relayBusy: 0.08,
  },
  {
    rps: 100,
    dataCentres: 5,
    isolates: 2,
    relayRequests: 7.55,
    coordinatorRequests: 5.32,
    alarms: 0.5,
    ticks: 1.02,
    relayBusy: 0.55,
  },
  {
    rps: 1000,
    dataCentres: 10,
    isolates: 4,
    relayRequests: 39.58,
    coordinatorRequests: 11.08,
    alarms: 0.5,
    ticks: 1.03,
    relayBusy: 6.26,
  },
  {
    rps: 10_000,
    dataCentres: 30,
    isolates: 10,
    relayRequests: 299.98,
    coordinatorRequests: 33.2,
    alarms: 0.5,
    ticks: 1.07,
    relayBusy: 19.11,
  },
]

/** The smallest measured site that is not smaller; of a larger one the counts grow with the traffic. */
export function useAt(rps: number): MeasuredUse {
  const use = MEASURED_USE.find((one) => one.rps >= rps) ?? MEASURED_USE.at(-1)!
  const factor = rps / use.rps
  if (factor <= 1) return use
  return {
    ...use,
    dataCentres: Math.ceil(use.dataCentres * factor),
    relayRequests: use.relayRequests * factor,
    coordinatorRequests: use.coordinatorRequests * factor,
    relayBusy: use.relayBusy * factor,
  }
}
