import { ScanResistantCache } from '../lib/scan-resistant-cache.ts'

/** Pages of a window. The answers of a window have waited in about the same queue. */
const WINDOW = 64
/** The cost of a kind is a mean over about this many answers, and is used from this many on. */
const MEMORY = 512
const ENOUGH = 10
/** The unit of costs is the mean page. It changes far more slowly than the mix of requests. */
const USUAL_MEMORY = 65_536
/** Response times up to this many times those without queueing are calm. */
const CALM_BELOW = 1.5
/** How far the response time without queueing follows a lower one, and a higher one of a calm window. */
const FALL = 0.3
const RISE = 0.05
/**
 * It is forgotten slowly, by this factor a window, because pages may become slower. A queue that lasts for minutes must not
 * pass for calm, and costs are still right if all pages have become slower alike.
 */
const FORGET = 1.0002
/** A difference of fewer standard errors may be chance. */
const ERRORS = 3
/**
 * A smaller difference, as a part of the mean page, is not counted. Where a class is let in when the queue happens to be
 * short, its answers are faster by a few per cent without costing less.
 */
const LEAST_DIFFERENCE = 0.25
/** Of the newest window in the variance of a kind. */
const VARIANCE_WEIGHT = 0.125
/** Clocks count whole milliseconds, so differences between faster pages do not show. */
const LEAST_UNIT_MS = 1
/** A larger cost, or a smaller one than its inverse, is more likely an error of measurement. */
const LARGEST_COST = 50
const MOST_KINDS = 1024

/** The answers of one kind: of a path, or of all paths that are asked for seldom. */
interface Kind {
  /** In this window. */
  answers: number
  sumMs: number
  /** How much longer they take than the level of their window. */
  extraMs: number
  /** Answers that `extraMs` and `variance` stand for. */
  weight: number
  /** Of one answer. */
  variance: number
  /** `extraMs` is from calm windows. */
  isCalm: boolean
}

/**
 * What an answer costs the origin, where 1 is the mean page. The model of a response time is
 *
 *     R = level of the window + extra of the kind
 *
 * The level contains the queue, in which all answers of a window wait alike. So the extra time is the difference in
 * service. It is learned in calm windows: where servers are shared, a queue stretches differences. A kind that no
 * calm window has shown is learned as well as the queue allows. If all answers cost alike, each cost is exactly 1.
 */
export class AnswerCosts {
  readonly #kinds = new ScanResistantCache<Kind>(MOST_KINDS)
  readonly #touched = new Set<Kind>()
  /** Pages of this window, their response times, and these without the extra of their kinds. */
  #pages = 0
  #levelSumMs = 0
  #extraSumMs = 0
  /** The level without queueing; NaN: not known. */
  #calmMs = Number.NaN
  /** The mean extra of all pages, over a long time. */
  #usualMs = 0
  #usualWeight = 0

  /**
   * Counts an answer, and returns its cost. `seldom` is the kind of answers whose own kind, `key`, is hardly known.
   * `isTypical`: its visitor was admitted lately, so a client with an old session cannot change what a page costs.
   */
  observe(key: string, seldom: string, responseMs: number, isTypical: boolean): number {
    const own = this.#add(key, responseMs)
    const kind = own.weight >= ENOUGH ? own : this.#add(seldom, responseMs)
    if (isTypical) this.#addPage(responseMs, kind.extraMs)
    return this.#costOf(kind)
  }

  /** The cost of answers of this kind; null: it is not known. */
  costOf(key: string): number | null {
    const kind = this.#kinds.get(key)
    return kind === undefined || !this.#isKnown(kind) ? null : this.#costOf(kind)
  }

  #add(key: string, responseMs: number): Kind {
    const kind = this.#kinds.get(key) ?? newKind()
    this.#kinds.set(key, kind)
    kind.answers++
    kind.sumMs += responseMs
    this.#touched.add(kind)
    return kind
  }

  #addPage(responseMs: number, extraMs: number): void {
    this.#pages++
    this.#levelSumMs += responseMs - extraMs
    this.#extraSumMs += extraMs
    if (this.#pages === WINDOW) this.#endWindow()
  }

  #endWindow(): void {
    // A level far below the calm one is not a shorter queue: the kinds of the window have become faster.
    const lowest = Number.isNaN(this.#calmMs) ? 0 : this.#calmMs / 2
    const levelMs = Math.max(lowest, this.#levelSumMs / WINDOW)
    this.#calmMs = calmAfter(this.#calmMs, levelMs)
    const isCalm = levelMs <= CALM_BELOW * this.#calmMs
    // A kind that is alone shows no difference.
    const isMixed = this.#touched.size > 1
    for (const kind of this.#touched) learn(kind, levelMs, isCalm, isMixed)
    this.#usualWeight = Math.min(USUAL_MEMORY, this.#usualWeight + WINDOW)
    this.#usualMs += (WINDOW / this.#usualWeight) * (this.#extraSumMs / WINDOW - this.#usualMs)
    this.#touched.clear()
    this.#pages = 0
    this.#levelSumMs = 0
    this.#extraSumMs = 0
  }

  get #unitMs(): number {
    return this.#calmMs + this.#usualMs
  }

  #isKnown({ weight }: Kind): boolean {
    return weight >= ENOUGH && this.#unitMs >= LEAST_UNIT_MS
  }

  #costOf(kind: Kind): number {
    if (!this.#isKnown(kind)) return 1
    const { extraMs, weight, variance } = kind
    const unitMs = this.#unitMs
    const difference = extraMs - this.#usualMs
    const least = Math.max(LEAST_DIFFERENCE * unitMs, ERRORS * Math.sqrt(variance / weight))
    if (Math.abs(difference) < least) return 1
    return Math.min(LARGEST_COST, Math.max(1 / LARGEST_COST, 1 + difference / unitMs))
  }
}

const newKind = (): Kind => ({
  answers: 0,
  sumMs: 0,
  extraMs: 0,
  weight: 0,
  variance: 0,
  isCalm: false,
})

function calmAfter(beforeMs: number, levelMs: number): number {
  if (Number.isNaN(beforeMs)) return levelMs
  if (levelMs < beforeMs) return beforeMs + FALL * (levelMs - beforeMs)
  if (levelMs <= CALM_BELOW * beforeMs) return beforeMs + RISE * (levelMs - beforeMs)
  return beforeMs * FORGET
}

/** The window has ended: its answers of this kind are averaged with the older ones. */
function learn(kind: Kind, levelMs: number, isCalm: boolean, isMixed: boolean): void {
  const { answers, sumMs } = kind
  kind.answers = 0
  kind.sumMs = 0
  if (!isMixed || (kind.isCalm && !isCalm)) return
  // What a queue has shown is worth nothing beside what calm shows.
  if (isCalm && !kind.isCalm) kind.weight = 0
  kind.isCalm = isCalm
  const meanMs = sumMs / answers
  const error = meanMs - levelMs - kind.extraMs
  // Before there is a second window, the answers vary as much as exponential service does.
  kind.variance =
    kind.weight === 0
      ? meanMs ** 2
      : kind.variance + VARIANCE_WEIGHT * (answers * error ** 2 - kind.variance)
  kind.weight = Math.min(MEMORY, kind.weight + answers)
  kind.extraMs += Math.min(1, answers / kind.weight) * error
}
