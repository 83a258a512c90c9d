/**
 * Buckets for the age of a session at the time of a request. From them the learner predicts the load that admitted
 * sessions will still bring.
 *
 * Buckets get wider with age: 0.36 s at the start, 6 s at a minute, 50 s at ten minutes.
 */

const PER_OCTAVE = 8
const FIRST_OCTAVE_S = 4

export const AGE_BUCKETS = 88

export function ageBucketOf(ageMs: number): number {
  // This runs for each request of a session. A search is faster than a logarithm.
  let low = 0
  let high = AGE_BUCKETS - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (ageMs >= FROM_MS[middle]!) low = middle
    else high = middle - 1
  }
  return low
}

/** Lower end of a bucket in seconds. Its upper end is the lower end of the next bucket. */
export function ageBucketFromS(bucket: number): number {
  return FIRST_OCTAVE_S * (2 ** (bucket / PER_OCTAVE) - 1)
}

const FROM_MS = Float64Array.from(
  { length: AGE_BUCKETS },
  (_, bucket) => 1000 * ageBucketFromS(bucket),
)
