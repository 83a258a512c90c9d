import type { Runs } from './runs.ts'

/** `short` is for CI: fewer points, less time, the same claims. */
export type Form = 'full' | 'short'

/** Values of the parameters that an experiment varies. */
export type Point = Readonly<Record<string, number | string>>

/** y at each x, for a figure. */
export type Curve = readonly (readonly [x: number, y: number])[]

/** Results of one run. */
export interface Measurement {
  readonly values: Readonly<Record<string, number>>
  readonly curves: Readonly<Record<string, Curve>>
}

export interface Claim {
  /** The paper's claim, with its numbers. */
  readonly text: string
  holds(runs: Runs): boolean
  /** The lab's result, with its numbers. */
  found(runs: Runs): string
  /** Why the claim does not hold here; absent: it holds. */
  readonly missed?: string
  /**
   * The policy that the claim is about. If the short form leaves the policy out, it leaves out the
   * claim.
   */
  readonly about?: string
}

/**
 * A figure: a value against a varied parameter, or a curve of a single run; one line per policy.
 */
export interface Plot {
  readonly title: string
  readonly x: string
  readonly y: string
  readonly show: { readonly value: string; readonly against: string } | { readonly curve: string }
  /** Only the lines of these points. */
  readonly where?: Point
  /** A horizontal line, such as the target. */
  readonly mark?: number
  readonly logarithmic?: boolean
}

export type Paper = 'cataclysm' | 'lqr' | 'provisioning' | 'seda' | 'soc'

/** One figure of a paper, or several that share a setup. */
export interface Experiment {
  readonly name: string
  readonly paper: Paper
  /** The paper's numbering: "Fig. 9, 10". */
  readonly figure: string
  readonly title: string
  readonly claims: readonly Claim[]
  readonly plots: readonly Plot[]
  /** Number of seeds for a sufficiently narrow interval. */
  readonly seeds: Readonly<Record<Form, number>>
  points(form: Form): readonly Point[]
  policies(form: Form): readonly string[]
  run(point: Point, policy: string, seed: number, form: Form): Promise<Measurement>
}

/** The claims that the runs of this form can test. */
export function claimsOf({ claims, policies }: Experiment, form: Form): readonly Claim[] {
  return claims.filter(({ about }) => about === undefined || policies(form).includes(about))
}

/** All combinations of the varied parameters. */
export function pointsOf<P extends Point>(
  vary: {
    readonly [Key in keyof P]: readonly P[Key][]
  },
): readonly P[] {
  let points: Point[] = [{}]
  for (const [key, values] of Object.entries(vary)) {
    points = points.flatMap((point) =>
      (values as readonly (number | string)[]).map((value) => ({ ...point, [key]: value })),
    )
  }
  return points as unknown as readonly P[]
}
