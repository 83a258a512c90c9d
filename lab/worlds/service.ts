import {
  around,
  type Distribution,
  deterministic,
  exponential,
  hyperexponential,
  logNormal,
  pareto,
} from '../engine/distributions.ts'
import { streams } from '../engine/random.ts'
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

const SAMPLES = 20_000

/** Quantiles of the service time without waiting, from a sample that is always the same. */
export function serviceQuantiles(service: Distribution): (probability: number) => number {
  const random = streams(1)('quantiles of service')
  const sample = Float64Array.from({ length: SAMPLES }, () => service.draw(random)).sort()
  return (probability) => sample[Math.min(SAMPLES - 1, Math.ceil(probability * SAMPLES) - 1)]!
}
