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
  if (!(ageMs > 0)) return 0
  const bucket = Math.floor(PER_OCTAVE * Math.log2(1 + ageMs / 1000 / FIRST_OCTAVE_S))
  return bucket < AGE_BUCKETS ? bucket : AGE_BUCKETS - 1
}

/** Lower end of an age bucket in seconds; the upper end is the next one's lower end. */
export function ageBucketFromS(bucket: number): number {
  return FIRST_OCTAVE_S * (2 ** (bucket / PER_OCTAVE) - 1)
}
