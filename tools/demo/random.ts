import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64'
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus'

/** A number from 0 to below 1 at each call. */
export type Coin = () => number

/** One stream of coins per purpose: what one purpose draws never shifts what another one gets. */
export function coinsOf(seed: number, purpose: string): Coin {
  const generator = xoroshiro128plus((seed ^ fnv1a(purpose)) | 0)
  return () => uniformFloat64(generator)
}

export function exponential(mean: number, coin: Coin): number {
  return -mean * Math.log(1 - coin())
}

/** Fowler, Noll and Vo's hash, 32 bits: spreads near seeds and like names apart. */
function fnv1a(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash
}
