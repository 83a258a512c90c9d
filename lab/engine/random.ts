import { xoroshiro128plusFromState } from 'pure-rand/generator/xoroshiro128plus'
import type { RandomGenerator } from 'pure-rand/types/RandomGenerator'

/** Numbers in [0, 1), 53 bits each. The sequence depends on the key only. */
export class Random {
  readonly #high: number
  readonly #low: number
  readonly #generator: RandomGenerator

  constructor(high: number, low: number) {
    this.#high = high
    this.#low = low
    const a = scramble(high ^ 0x9e3779b9)
    const b = scramble(low ^ a)
    // An all-zero state would never change, so the last word is odd.
    this.#generator = xoroshiro128plusFromState([a, b, scramble(a ^ (b + high)), scramble(b) | 1])
  }

  next(): number {
    const high = this.#generator.next() >>> 5
    const low = this.#generator.next() >>> 6
    return (high * 0x4000000 + low) / 0x20000000000000
  }

  /**
   * A stream for one of many, such as a session. It does not depend on draws from this stream, so a
   * visitor behaves the same whichever other visitors were admitted.
   */
  fork(index: number): Random {
    const high = scramble(this.#high ^ Math.imul(index + 1, 0x85ebca6b))
    return new Random(high, scramble(this.#low ^ high ^ index))
  }
}

/**
 * A stream for each purpose: `random('arrivals')`. The same name always gives the same stream, from
 * its start.
 */
export type Streams = (name: string) => Random

export function streams(seed: number): Streams {
  return (name) => {
    let high = scramble(seed ^ 0x243f6a88)
    let low = scramble(Math.floor(seed / 0x100000000) ^ high)
    for (let i = 0; i < name.length; i++) {
      high = scramble(high ^ name.charCodeAt(i))
      low = scramble(low + Math.imul(high, 0x27d4eb2f))
    }
    return new Random(high, low)
  }
}

/** The last step of MurmurHash3: each input bit changes about half of the output bits. */
function scramble(word: number): number {
  let bits = Math.imul(word ^ (word >>> 16), 0x85ebca6b)
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35)
  return (bits ^ (bits >>> 16)) | 0
}
