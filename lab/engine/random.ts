import { xoroshiro128plusFromState } from 'pure-rand/generator/xoroshiro128plus'
import type { RandomGenerator } from 'pure-rand/types/RandomGenerator'

/** Numbers in [0, 1), 53 bits each. Its key alone decides what comes. */
export class Random {
  readonly #high: number
  readonly #low: number
  readonly #generator: RandomGenerator

  constructor(high: number, low: number) {
    this.#high = high
    this.#low = low
    const a = scramble(high ^ 0x9e3779b9)
    const b = scramble(low ^ a)
    // A state of zeros would stay zero for ever: the last word is odd.
    this.#generator = xoroshiro128plusFromState([a, b, scramble(a ^ (b + high)), scramble(b) | 1])
  }

  next(): number {
    const high = this.#generator.next() >>> 5
    const low = this.#generator.next() >>> 6
    return (high * 0x4000000 + low) / 0x20000000000000
  }

  /**
   * A stream for the index-th of many, a session for instance: it does not depend on what was drawn
   * here, so that the same visitor behaves the same whoever else was let in.
   */
  fork(index: number): Random {
    const high = scramble(this.#high ^ Math.imul(index + 1, 0x85ebca6b))
    return new Random(high, scramble(this.#low ^ high ^ index))
  }
}

/** A stream by its purpose: `random('arrivals')`. The same name gives the same stream again, from its start. */
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

/** MurmurHash3's last step: every bit of the input moves about half of the output's. */
function scramble(word: number): number {
  let bits = Math.imul(word ^ (word >>> 16), 0x85ebca6b)
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35)
  return (bits ^ (bits >>> 16)) | 0
}
