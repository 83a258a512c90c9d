import type { Random } from '../engine/random.ts'

/** Ways to draw a parameter. Each part of a world has a stream of its own, so that one does not shift another. */
export class Draws {
  readonly #random: Random

  constructor(random: Random) {
    this.#random = random
  }

  chance(probability: number): boolean {
    return this.#random.next() < probability
  }

  uniform(from: number, to: number, digits = 3): number {
    return rounded(from + (to - from) * this.#random.next(), digits)
  }

  /** Every doubling between the bounds is as likely as any other. */
  logUniform(from: number, to: number, digits = 3): number {
    return rounded(from * (to / from) ** this.#random.next(), digits)
  }

  /** A whole number, every doubling as likely as any other. */
  logWhole(from: number, to: number): number {
    return Math.min(to, Math.floor(from * ((to + 1) / from) ** this.#random.next()))
  }

  whole(from: number, to: number): number {
    return from + Math.floor((to - from + 1) * this.#random.next())
  }

  oneOf<T>(values: readonly T[]): T {
    return values[this.whole(0, values.length - 1)]!
  }

  /** One of the names, by their weights. */
  weighted<Name extends string>(weights: Readonly<Record<Name, number>>): Name {
    const entries = Object.entries<number>(weights) as [Name, number][]
    let rest = this.#random.next() * entries.reduce((sum, [, weight]) => sum + weight, 0)
    for (const [name, weight] of entries) {
      rest -= weight
      if (rest < 0) return name
    }
    return entries.at(-1)![0]
  }
}

export function rounded(value: number, digits: number): number {
  const scale = 10 ** digits
  return Math.round(value * scale) / scale
}
