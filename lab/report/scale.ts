/** Maps values to positions on a line. */
export interface Scale {
  at(value: number): number
  readonly ticks: readonly number[]
}

const FEW = 5

/** A scale with about five round marks that covers all values. */
export function linear(low: number, high: number, from: number, to: number): Scale {
  const step = stepOf(low, high)
  const first = Math.floor(low / step) * step
  const last = Math.max(first + step, Math.ceil(high / step) * step)
  return {
    at: (value) => from + ((value - first) / (last - first)) * (to - from),
    ticks: multiples(step, first, last),
  }
}

/** The same, but the line ends at the last value. */
export function tight(low: number, high: number, from: number, to: number): Scale {
  const step = stepOf(low, high)
  const span = high > low ? high - low : step
  return {
    at: (value) => from + ((value - low) / span) * (to - from),
    ticks: multiples(step, Math.ceil(low / step) * step, high),
  }
}

function stepOf(low: number, high: number): number {
  const rough = (high > low ? high - low : Math.max(1, Math.abs(high))) / FEW
  const power = 10 ** Math.floor(Math.log10(rough))
  return power * ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10)
}

function multiples(step: number, first: number, last: number): readonly number[] {
  const count = Math.floor((last - first) / step + 1e-9)
  return Array.from({ length: count + 1 }, (_, i) => Number((first + i * step).toPrecision(12)))
}

/** A scale with marks at powers of ten. */
export function logarithmic(low: number, high: number, from: number, to: number): Scale {
  const first = Math.floor(Math.log10(low))
  const last = Math.max(first + 1, Math.ceil(Math.log10(high)))
  return {
    at: (value) =>
      from + ((Math.log10(Math.max(value, low)) - first) / (last - first)) * (to - from),
    ticks: Array.from({ length: last - first + 1 }, (_, i) => 10 ** (first + i)),
  }
}

export function tickText(value: number): string {
  if (Math.abs(value) >= 10_000) return `${Number((value / 1000).toPrecision(3))}k`
  return String(Number(value.toPrecision(3)))
}
