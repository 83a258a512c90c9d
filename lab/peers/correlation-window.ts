/** Fewer pairs than this give no correlation. */
const WARM_UP = 10

export interface Correlation {
  /** Pearson's coefficient; 0 while it is unknown. */
  readonly correlation: number
  /** Standard deviation of y divided by its mean. */
  readonly variationOfY: number
}

const UNKNOWN: Correlation = { correlation: 0, variationOfY: 0 }

/** Correlation of two quantities over the last pairs. */
export class CorrelationWindow {
  readonly #size: number
  readonly #xs: number[] = []
  readonly #ys: number[] = []

  constructor(size: number) {
    this.#size = size
  }

  add(x: number, y: number): Correlation {
    this.#xs.push(x)
    this.#ys.push(y)
    if (this.#xs.length > this.#size) {
      this.#xs.shift()
      this.#ys.shift()
    }
    const n = this.#xs.length
    if (n < WARM_UP) return UNKNOWN
    const meanX = mean(this.#xs)
    const meanY = mean(this.#ys)
    let xx = 0
    let yy = 0
    let xy = 0
    for (let i = 0; i < n; i++) {
      const dx = this.#xs[i]! - meanX
      const dy = this.#ys[i]! - meanY
      xx += dx * dx
      yy += dy * dy
      xy += dx * dy
    }
    return {
      correlation: xx > 0 && yy > 0 ? xy / Math.sqrt(xx * yy) : 0,
      variationOfY: meanY === 0 ? 0 : Math.sqrt(yy / n) / meanY,
    }
  }
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
