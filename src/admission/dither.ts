/**
 * Draws that keep to their probability: of any run of draws the admitted number is Σp within one,
 * where independent coins would miss it by √(np(1−p)).
 *
 * The phase, a coin in [0, 1), makes even an isolate that draws once in its life admit with
 * probability p: thousands of isolates that all started from 0 would refuse all their first
 * requests. One Dither serves one class: two classes that take turns at a shared one would have one
 * always admitted and the other never.
 */
export class Dither {
  /** What is owed: all probabilities so far less all admissions, and the phase. In [0, 1). */
  #owed: number

  constructor(phase: number) {
    this.#owed = phase >= 0 && phase < 1 ? phase : 0
  }

  draw(probability: number): boolean {
    // Sure verdicts leave the debt as it is: p = 0 never admits by rounding, p = 1 never refuses.
    if (!(probability > 0)) return false
    if (probability >= 1) return true
    this.#owed += probability
    if (this.#owed < 1) return false
    this.#owed -= 1
    return true
  }
}
