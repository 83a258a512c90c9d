import { type Coin, exponential } from '../random.ts'

export interface RatePhase {
  readonly fromMs: number
  readonly toMs: number
  readonly perSecond: number
}

/** The times of a Poisson process with a rate that changes in steps. */
export function* poissonTimes(phases: readonly RatePhase[], coin: Coin): Generator<number> {
  for (const { fromMs, toMs, perSecond } of phases) {
    if (perSecond <= 0) continue
    // A Poisson process has no memory, so it may start again when the rate changes.
    let atMs = fromMs + exponential(1000 / perSecond, coin)
    for (; atMs < toMs; atMs += exponential(1000 / perSecond, coin)) yield atMs
  }
}
