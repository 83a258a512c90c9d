import type { ArrivalRate } from './arrival-rate.ts'

/** By class, the arrivals per second that a policy which sets probabilities has had time to judge. */
export type KnownArrivals = Readonly<Record<string, number>>

/** They rise and fall by these parts in a second: a policy decides every ten seconds or so. */
const RISE = 0.02
const FALL = 0.01
/** Fewer arrivals per second are never a surge. */
const LEAST = 5
/** So many times what the policy admits is let in before a surge is one. Chance brings less. */
const HEADROOM = 1.5

/**
 * The arrivals that are known after a tick. A class that is new starts with what comes first. `silentS`: nobody came for so
 * long before the tick. They are forgotten in it, and nothing of the surge that may end it is known.
 */
export function knownAfter(
  before: KnownArrivals,
  arrivals: Readonly<Record<string, ArrivalRate>>,
  seconds: number,
  silentS = 0,
): KnownArrivals {
  return Object.fromEntries(
    Object.entries(arrivals).map(([key, { rate }]) => {
      if (before[key] === undefined) return [key, Math.max(LEAST, rate)]
      const known = Math.max(LEAST, before[key] * Math.exp(-FALL * silentS))
      const most = known * Math.exp(RISE * seconds)
      const least = known * Math.exp(-FALL * seconds)
      return [key, Math.max(LEAST, least, Math.min(most, rate))]
    }),
  )
}

interface DrawnClass {
  readonly key: string
  readonly probability: number
}

/** The load per second that stops a surge of all classes. */
export function surgeLimit(
  known: KnownArrivals,
  rates: Readonly<Record<string, number>>,
  classes: readonly (DrawnClass & { readonly cost: number })[],
): number {
  return classes.reduce((sum, drawn) => sum + drawn.cost * surgeRate(known, rates, drawn), 0)
}

/** Of one class: what the policy wants to admit, or admits of the known arrivals, and some more. */
export function surgeRate(
  known: KnownArrivals,
  rates: Readonly<Record<string, number>>,
  { key, probability }: DrawnClass,
): number {
  return HEADROOM * (rates[key] ?? probability * (known[key] ?? LEAST))
}
