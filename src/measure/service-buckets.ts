/**
 * Buckets of inherent service time (Urgaonkar and Shenoy 2005, §3.2). The batch test treats the requests of a bucket
 * as equal. There are four buckets per octave from 1 ms to 65 s, each (from, to]. The middle of a bucket is at most
 * 10 % off.
 */

const PER_OCTAVE = 4
const OCTAVES = 16

/** Bucket 0 is (0, 1 ms]. The last bucket also has everything longer. */
export const SERVICE_BUCKETS = OCTAVES * PER_OCTAVE + 1

export function serviceBucketOf(serviceMs: number): number {
  if (!(serviceMs > 1)) return 0
  const bucket = Math.ceil(Math.log2(serviceMs) * PER_OCTAVE)
  return bucket < SERVICE_BUCKETS ? bucket : SERVICE_BUCKETS - 1
}

/** S = (s_i + s_{i+1}) / 2, the service time of all requests in the bucket. */
export function serviceBucketMs(bucket: number): number {
  return (bucketToMs(bucket - 1) + bucketToMs(bucket)) / 2
}

function bucketToMs(bucket: number): number {
  return bucket < 0 ? 0 : 2 ** (bucket / PER_OCTAVE)
}
