import {
  around,
  type Distribution,
  deterministic,
  exponential,
  hyperexponential,
  logNormal,
  pareto,
} from '../engine/distributions.ts'
import { normalQuantile } from '../engine/statistics.ts'
import type { OriginSpec } from './spec.ts'

export function serviceOf({ service }: Pick<OriginSpec, 'service'>): Distribution {
  const { meanMs: mean } = service
  switch (service.law) {
    case 'constant':
      return deterministic({ value: mean })
    case 'uniform':
      return around({ mean, spread: service.spread })
    case 'exponential':
      return exponential({ mean })
    case 'log-normal':
      return logNormal({ mean, cv: service.cv })
    case 'hyperexponential':
      return hyperexponential({ mean, cv: service.cv })
    case 'pareto':
      return pareto({ mean, shape: service.shape })
  }
}

/** A quantile of the service time without waiting; the probability is between 0 and 1. */
export function serviceQuantile(
  { service }: Pick<OriginSpec, 'service'>,
  probability: number,
): number {
  const { meanMs: mean } = service
  switch (service.law) {
    case 'constant':
      return mean
    case 'uniform':
      return mean * (1 + service.spread * (2 * probability - 1))
    case 'exponential':
      return -mean * Math.log(1 - probability)
    case 'log-normal': {
      const variance = Math.log(1 + service.cv ** 2)
      return mean * Math.exp(Math.sqrt(variance) * normalQuantile(probability) - variance / 2)
    }
    case 'hyperexponential':
      return hyperexponentialQuantile(mean, service.cv, probability)
    case 'pareto':
      return (
        ((mean * (service.shape - 1)) / service.shape) * (1 - probability) ** (-1 / service.shape)
      )
  }
}

/** By bisection of the tail of two exponential phases with balanced means. */
function hyperexponentialQuantile(mean: number, cv: number, probability: number): number {
  const often = (1 + Math.sqrt((cv ** 2 - 1) / (cv ** 2 + 1))) / 2
  const tail = (ms: number) =>
    often * Math.exp((-ms * 2 * often) / mean) +
    (1 - often) * Math.exp((-ms * 2 * (1 - often)) / mean)
  let low = 0
  let high = 1000 * mean
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2
    if (tail(middle) > 1 - probability) low = middle
    else high = middle
  }
  return low
}
