/**
 * How old a session is when it makes a request: what a coordinator needs to foresee the load that the
 * sessions already admitted are still going to bring (sessions act late).
 *
 * Buckets widen with age: 0.36 s at the start, 6 s at a minute, 50 s at ten minutes.
 */

const PER_OCTAVE = 8
const FIRST_OCTAVE_S = 4

export const AGE_BUCKETS = 88

export function ageBucketOf(ageMs: number): number {
  // To look up is less than to compute, on the way of each request of a session.
  let low = 0
  let high = AGE_BUCKETS - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (ageMs >= FROM_MS[middle]!) low = middle
    else high = middle - 1
  }
  return low
}

/** Lower end of an age bucket in seconds; the upper end is the next one's lower end. */
export function ageBucketFromS(bucket: number): number {
  return FIRST_OCTAVE_S * (2 ** (bucket / PER_OCTAVE) - 1)
}

const FROM_MS = Float64Array.from(
  { length: AGE_BUCKETS },
  (_, bucket) => 1000 * ageBucketFromS(bucket),
)
