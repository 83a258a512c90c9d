import {
  around,
  type Distribution,
  exponential,
  logNormal,
  pareto,
} from '../../lab/engine/distributions.ts'

/** How long a page takes on an idle origin. */
export type ServiceLaw =
  /** `spread`: uniform within this share of the mean. */
  | { readonly law: 'constant'; readonly meanMs: number; readonly spread?: number }
  | { readonly law: 'exponential'; readonly meanMs: number }
  /** `cv`: standard deviation divided by the mean. */
  | { readonly law: 'log-normal'; readonly meanMs: number; readonly cv: number }
  /** `shape`: above 1; the variance is finite above 2. */
  | { readonly law: 'pareto'; readonly meanMs: number; readonly shape: number }

export function distributionOf(law: ServiceLaw): Distribution {
  const mean = law.meanMs
  if (law.law === 'constant') return around({ mean, spread: law.spread ?? 0 })
  if (law.law === 'exponential') return exponential({ mean })
  if (law.law === 'log-normal') return logNormal({ mean, cv: law.cv })
  return pareto({ mean, shape: law.shape })
}
