/**
 * Draws with an exact sum: of any run of draws, the number admitted differs from Σp by less than one. Independent
 * random draws would differ by √(np(1−p)).
 *
 * The phase is random, so that even an isolate with a single draw admits with probability p. If thousands of isolates
 * all started from 0, they would all refuse their first requests. Each class has a Dither of its own: if two classes
 * took turns at one, one could always be admitted and the other never.
 */
export class Dither {
  /** The phase, plus all probabilities so far, minus all admissions. In [0, 1). */
  #owed: number

  /** `phase` is a random number in [0, 1). */
  constructor(phase: number) {
    this.#owed = phase >= 0 && phase < 1 ? phase : 0
  }

  draw(probability: number): boolean {
    // Certain verdicts change nothing: so p = 0 never admits by rounding, and p = 1 never refuses.
    if (!(probability > 0)) return false
    if (probability >= 1) return true
    this.#owed += probability
    if (this.#owed < 1) return false
    this.#owed -= 1
    return true
  }
}
