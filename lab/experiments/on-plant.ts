import type { EdgeOptions } from '../edge/edge.ts'
import { runEdge } from '../edge/run-edge.ts'
import type { Plant } from '../gate/plant.ts'
import { type Ruling, type RunResult, runPlant } from '../gate/run-plant.ts'
import { type Experiment, type Form, type Measurement, type Point, pointsOf } from './experiment.ts'

/** Everything except the policy. */
export interface System {
  readonly plant: Plant
  readonly seconds: number
  readonly measureFromSeconds?: number
  readonly tickMs?: number
}

/** A policy or a learner at a single gate, as in the papers, or the product's edge. */
type Rule = Ruling | { readonly edge: EdgeOptions }

interface PlantExperiment<P extends Point> extends Omit<Experiment, 'policies' | 'points' | 'run'> {
  readonly vary: { readonly [Key in keyof P]: readonly P[Key][] }
  /** Replaces values of `vary` in CI. */
  readonly short: { readonly [Key in keyof P]?: readonly P[Key][] }
  system(point: P, form: Form): System
  readonly policies: Readonly<Record<string, (point: P) => Rule>>
  /** Policies that are too slow for CI. @default none */
  readonly fullOnly?: readonly string[]
  measure(result: RunResult, point: P, system: System): Measurement
}

/** An experiment with a plant as its system. */
export function onPlant<P extends Point>(options: PlantExperiment<P>): Experiment {
  const { vary, short, system, policies, fullOnly = [], measure, ...rest } = options
  const names = Object.keys(policies)
  return {
    ...rest,
    policies: (form) =>
      form === 'full' ? names : names.filter((name) => !fullOnly.includes(name)),
    points: (form) => pointsOf<P>(form === 'full' ? vary : { ...vary, ...short }),
    async run(given, policy, seed, form) {
      const point = given as P
      const built = system(point, form)
      const rule = policies[policy]
      if (rule === undefined) throw new RangeError(`${rest.name} has no policy "${policy}"`)
      const ruling = rule(point)
      const result =
        'edge' in ruling
          ? await runEdge({ ...built, ...ruling.edge, seed })
          : runPlant({ ...built, ...ruling, seed })
      return measure(result, point, built)
    },
  }
}
