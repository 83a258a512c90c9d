import { toHistogram } from '../lib/histogram.ts'
import { AGE_BUCKETS, ageBucketOf } from '../lib/session-age-buckets.ts'
import type { ClassFeedback, RouteFeedback } from '../protocol/feedback.ts'
import type { ClassPlan } from '../protocol/plan.ts'
import { ClassCounters } from './counters.ts'
import type { InFlightSizes } from './in-flight-sizes.ts'
import { VerdictSamples } from './verdict-samples.ts'

/** Sessions are old from this age on. */
const OLD_MS = 30_000
const AGE_WEIGHT = 0.02

interface TargetsInForce {
  readonly targetMs: number
  /** Those without a target are under the route's. */
  readonly classes: Readonly<Record<string, Pick<ClassPlan, 'targetMs' | 'own'>>>
}

/** The counters of one route in this isolate since its last report. */
export class RouteCounters {
  readonly classes: readonly ClassCounters[]
  readonly #names: readonly string[]
  readonly #isApart: boolean[] = []
  readonly #young = { ignoredPart: 0, owed: 0 }
  readonly #old = { ignoredPart: 0, owed: 0 }
  /** A bucket may be below 0 for a while, if its requests are ignored after they were reported. */
  readonly #ages = new Int32Array(AGE_BUCKETS)
  /** null: none has ended since the last report. */
  #ended: Uint32Array | null = null
  readonly samples: VerdictSamples
  /** By step of quality. */
  #quality = new Map<number, { requests: number; us: number }>()

  constructor(
    classNames: readonly string[],
    targetMs: number,
    sizes: InFlightSizes | null = null,
    route = '',
  ) {
    this.#names = classNames
    this.samples = new VerdictSamples(route, classNames)
    this.classes = classNames.map(() => new ClassCounters(targetMs, sizes))
  }

  /** Requests of this isolate in flight. */
  get inFlight(): number {
    let sum = 0
    for (let i = 0; i < this.classes.length; i++) sum += this.classes[i]!.inFlight
    return sum
  }

  /** The same without the classes that are limited by themselves. */
  get sharedInFlight(): number {
    let sum = 0
    for (let i = 0; i < this.classes.length; i++)
      if (!this.#isApart[i]) sum += this.classes[i]!.inFlight
    return sum
  }

  /** The time that these have been in flight so far, in all. */
  sharedBusyMs(nowMs: number): number {
    let sum = 0
    for (let i = 0; i < this.classes.length; i++)
      if (!this.#isApart[i]) sum += this.classes[i]!.busyMs(nowMs)
    return sum
  }

  /** Each plan sets the targets, and says which classes are limited by themselves. */
  setTargets({ targetMs, classes }: TargetsInForce): void {
    for (const [i, counters] of this.classes.entries()) {
      const planned = classes[this.#names[i]!]
      counters.targetMs = planned?.targetMs ?? targetMs
      this.#isApart[i] = planned?.own !== undefined
    }
  }

  /**
   * A request of an admitted session; a new session's first request has age 0. Call the returned function when it is
   * closed. Whether it will be ignored is not known before. So only the expected part is counted now, and the difference
   * then. Old sessions are apart, because attackers keep theirs.
   */
  sessionRequest(ageMs: number): (isIgnored: boolean) => void {
    const bucket = ageBucketOf(ageMs)
    const kind = ageMs < OLD_MS ? this.#young : this.#old
    kind.owed += 1 - kind.ignoredPart
    const isCounted = kind.owed >= 1
    if (isCounted) {
      kind.owed--
      this.#ages[bucket]! += 1
    }
    return (isIgnored) => {
      kind.ignoredPart += AGE_WEIGHT * ((isIgnored ? 1 : 0) - kind.ignoredPart)
      if (isCounted === isIgnored) this.#ages[bucket]! += isIgnored ? -1 : 1
    }
  }

  /** A request at this step of quality was answered. */
  qualitySample(step: number, ms: number): void {
    const seen = this.#quality.get(step) ?? { requests: 0, us: 0 }
    seen.requests++
    seen.us += Math.round(ms * 1000)
    this.#quality.set(step, seen)
  }

  /** The origin has ended a session of this age. */
  sessionEnded(ageMs: number): void {
    this.#ended ??= new Uint32Array(AGE_BUCKETS)
    this.#ended[ageBucketOf(ageMs)]! += 1
  }

  drain(): RouteFeedback {
    const classes: Record<string, ClassFeedback> = {}
    for (const [i, name] of this.#names.entries()) classes[name] = this.classes[i]!.drain()
    const ages = toHistogram(this.#ages)
    for (let i = 0; i < AGE_BUCKETS; i++) this.#ages[i] = Math.min(0, this.#ages[i]!)
    const ended = this.#ended === null ? null : toHistogram(this.#ended)
    const quality = this.#quality.size === 0 ? null : Object.fromEntries(this.#quality)
    this.#ended = null
    if (quality !== null) this.#quality = new Map()
    const samples = this.samples.drain()
    return {
      classes,
      ages,
      ...(ended ? { ended } : {}),
      ...(quality ? { quality } : {}),
      ...(samples.length > 0 ? { samples } : {}),
    }
  }
}
