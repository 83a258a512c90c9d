import { type Interval, interval } from '../engine/statistics.ts'
import type { Curve, Measurement, Point } from './experiment.ts'

export interface RunOf {
  readonly point: Point
  readonly policy: string
  readonly seed: number
  readonly found: Measurement
}

/** One policy at one point, over all seeds. */
export class Run {
  readonly policy: string
  readonly point: Point
  readonly #seeds: readonly Measurement[]

  constructor(policy: string, point: Point, seeds: readonly Measurement[]) {
    this.policy = policy
    this.point = point
    this.#seeds = seeds
  }

  get seeds(): number {
    return this.#seeds.length
  }

  /** Names of the values. */
  get values(): readonly string[] {
    return Object.keys(this.#seeds[0]?.values ?? {})
  }

  /** The mean of a value over the seeds, with its 95 % interval. */
  of(value: string): Interval {
    return interval(this.each(value))
  }

  mean(value: string): number {
    return this.of(value).mean
  }

  /** One value per seed. */
  each(value: string): readonly number[] {
    return this.#seeds.map(({ values }) => {
      const number = values[value]
      if (number === undefined) throw new RangeError(`there is no value "${value}"`)
      return number
    })
  }

  /** Curve of the first seed. */
  curve(name: string): Curve {
    return this.#seeds[0]?.curves[name] ?? []
  }

  at(key: string): number {
    return Number(this.point[key])
  }
}

/** The runs of an experiment, which its claims query. */
export class Runs implements Iterable<Run> {
  readonly #runs: readonly Run[]

  constructor(runs: readonly Run[]) {
    this.#runs = runs
  }

  static from(all: readonly RunOf[]): Runs {
    const groups = new Map<string, RunOf[]>()
    for (const run of all) {
      const key = JSON.stringify([run.policy, run.point])
      const group = groups.get(key)
      if (group) group.push(run)
      else groups.set(key, [run])
    }
    return new Runs(
      [...groups.values()].map((group) => {
        const { policy, point } = group[0]!
        const seeds = group.toSorted((a, b) => a.seed - b.seed).map(({ found }) => found)
        return new Run(policy, point, seeds)
      }),
    )
  }

  [Symbol.iterator](): Iterator<Run> {
    return this.#runs[Symbol.iterator]()
  }

  get length(): number {
    return this.#runs.length
  }

  /** The runs of a policy, at a point, or both. */
  where(wanted: Point): Runs {
    return new Runs(
      this.#runs.filter((run) =>
        Object.entries(wanted).every(
          ([key, value]) => (key === 'policy' ? run.policy : run.point[key]) === value,
        ),
      ),
    )
  }

  /** The only run that matches. */
  one(wanted: Point): Run {
    const { length } = this.where(wanted)
    if (length !== 1)
      throw new RangeError(`expected one run of ${JSON.stringify(wanted)}, got ${length}`)
    return [...this.where(wanted)][0]!
  }

  every(holds: (run: Run) => boolean): boolean {
    if (this.#runs.length === 0) throw new RangeError('a claim about no runs at all')
    return this.#runs.every(holds)
  }

  some(holds: (run: Run) => boolean): boolean {
    if (this.#runs.length === 0) throw new RangeError('a claim about no runs at all')
    return this.#runs.some(holds)
  }

  filter(keeps: (run: Run) => boolean): Runs {
    return new Runs(this.#runs.filter(keeps))
  }

  map<T>(of: (run: Run) => T): readonly T[] {
    return this.#runs.map(of)
  }

  /** Mean of a value for each run. */
  means(value: string): readonly number[] {
    return this.#runs.map((run) => run.mean(value))
  }
}
