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
    relayRequests: 0.55,
    coordinatorRequests: 0.17,
    alarms: 0.15,
    ticks: 0.17,
    relayBusy: 0.02,
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
    relayRequests: 7.52,
    coordinatorRequests: 5.17,
    alarms: 0.48,
    ticks: 1.05,
    relayBusy: 0.5,
  },
  {
    rps: 1000,
    dataCentres: 10,
    isolates: 4,
    relayRequests: 39.57,
    coordinatorRequests: 11.05,
    alarms: 0.5,
    ticks: 1.02,
    relayBusy: 6.2,
  },
  {
    rps: 10_000,
    dataCentres: 30,
    isolates: 10,
    relayRequests: 299.97,
    coordinatorRequests: 33.45,
    alarms: 0.5,
    ticks: 1.13,
    relayBusy: 20.14,
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
