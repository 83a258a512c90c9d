import type { Runs } from './runs.ts'

/** `short` is what CI runs: fewer points, less time, the same claims. */
export type Form = 'full' | 'short'

/** What is varied, and its values here. */
export type Point = Readonly<Record<string, number | string>>

/** y at each x, for a figure. */
export type Curve = readonly (readonly [x: number, y: number])[]

/** What one run shows. */
export interface Found {
  readonly values: Readonly<Record<string, number>>
  readonly curves: Readonly<Record<string, Curve>>
}

export interface Claim {
  /** What the paper says, with its numbers. */
  readonly text: string
  holds(runs: Runs): boolean
  /** What the lab saw, with its numbers. */
  found(runs: Runs): string
  /** Why it does not hold here; absent: it does. */
  readonly missed?: string
  /** A policy that the short form leaves out, and this claim with it. */
  readonly about?: string
}

/** A figure: a value against what is varied, or a curve of a single run; one line for each policy. */
export interface Plot {
  readonly title: string
  readonly x: string
  readonly y: string
  readonly show: { readonly value: string; readonly against: string } | { readonly curve: string }
  /** Where a point has more than one coordinate: the lines of these only. */
  readonly where?: Point
  /** A line across, such as the target. */
  readonly mark?: number
  readonly logarithmic?: boolean
}

export type Paper = 'cataclysm' | 'lqr' | 'seda' | 'soc'

/** One figure of a paper, or several that share a setup. */
export interface Experiment {
  readonly name: string
  readonly paper: Paper
  /** As the paper numbers it: "Fig. 9, 10". */
  readonly figure: string
  readonly title: string
  readonly claims: readonly Claim[]
  readonly plots: readonly Plot[]
  /** Seeds that it takes for an interval that is narrow enough. */
  readonly seeds: Readonly<Record<Form, number>>
  points(form: Form): readonly Point[]
  policies(form: Form): readonly string[]
  run(point: Point, policy: string, seed: number, form: Form): Promise<Found>
}

/** The claims that can be judged by what this form runs. */
export function claimsOf({ claims, policies }: Experiment, form: Form): readonly Claim[] {
  return claims.filter(({ about }) => about === undefined || policies(form).includes(about))
}

/** All combinations of what is varied. */
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
