import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64'
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus'

/** Returns a number from 0 to below 1 at each call. */
export type Coin = () => number

/** One random stream per purpose: draws for one purpose do not change those for another. */
export function coinsOf(seed: number, purpose: string): Coin {
  const generator = xoroshiro128plus((seed ^ fnv1a(purpose)) | 0)
  return () => uniformFloat64(generator)
}

export function exponential(mean: number, coin: Coin): number {
  return -mean * Math.log(1 - coin())
}

/** 32-bit hash of Fowler, Noll and Vo: separates similar seeds and names. */
function fnv1a(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash
}
