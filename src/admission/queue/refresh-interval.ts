/** A visitor refreshes after this part of the wait that is left, so that a call is noticed soon. */
const PART_OF_WAIT = 0.2
const LEAST_MS = 2000
const MOST_MS = 30_000
/** A ticket that has just been given comes back after this. Until then no report may know of it. */
const FIRST_MS = 4000
/** So much earlier or later, so that visitors do not come back together. */
const JITTER = 0.2

/** Time to the next refresh. `coin` is a random number in [0, 1). */
export function refreshMs(waitS: number, isFirst: boolean, coin: number): number {
  const aimMs = isFirst
    ? FIRST_MS
    : Math.min(MOST_MS / (1 + JITTER), Math.max(LEAST_MS, waitS * 1000 * PART_OF_WAIT))
  return Math.round(aimMs * (1 - JITTER + 2 * JITTER * coin))
}
