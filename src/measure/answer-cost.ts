import {
  boundedLevel,
  calmLevelAfter,
  ENOUGH_ANSWERS,
  type ExtraTime,
  extraTimeAfter,
  isCalmLevel,
  knownCost,
  NO_EXTRA_TIME,
} from '../lib/extra-time.ts'
import { ScanResistantCache } from '../lib/scan-resistant-cache.ts'

/** Pages of a window. The answers of a window have waited in about the same queue. */
const WINDOW = 64
/** The cost of a kind is a mean over about this many answers. */
const MEMORY = 512
/** The unit of costs is the mean page. It changes far more slowly than the mix of requests. */
const USUAL_MEMORY = 65_536
const MOST_KINDS = 1024

/** The answers of one kind: of a path, or of all paths that are asked for seldom. */
interface Kind {
  /** In this window. */
  answers: number
  sumMs: number
  known: ExtraTime
}

/**
 * What an answer costs the origin, where 1 is the mean page, by the model of src/lib/extra-time.ts. The pages are those of
 * one class, or of a whole tier.
 */
export class AnswerCosts {
  readonly #kinds = new ScanResistantCache<Kind>(MOST_KINDS)
  readonly #touched = new Set<Kind>()
  /** Pages of this window, their response times, and these without the extra of their kinds. */
  #pages = 0
  #levelSumMs = 0
  #extraSumMs = 0
  /** The level without queueing; null: not known. */
  #calmMs: number | null = null
  /** The mean extra of all pages, over a long time. */
  #usualMs = 0
  #usualWeight = 0

  /**
   * Counts an answer, and returns its cost. `seldom` is the kind of answers whose own kind, `key`, is hardly known.
   * `isTypical`: its visitor was admitted lately, so a client with an old session cannot change what a page costs.
   */
  observe(key: string, seldom: string, responseMs: number, isTypical: boolean): number {
    const own = this.#add(key, responseMs)
    const kind = own.known.weight >= ENOUGH_ANSWERS ? own : this.#add(seldom, responseMs)
    if (isTypical) this.#addPage(responseMs, kind.known.extraMs)
    return this.#costOf(kind) ?? 1
  }

  /** The cost of answers of this kind; null: it is not known. */
  costOf(key: string): number | null {
    const kind = this.#kinds.get(key)
    return kind === undefined ? null : this.#costOf(kind)
  }

  #add(key: string, responseMs: number): Kind {
    const kind = this.#kinds.get(key) ?? { answers: 0, sumMs: 0, known: NO_EXTRA_TIME }
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
    const levelMs = boundedLevel(this.#calmMs, this.#levelSumMs / WINDOW)
    this.#calmMs = calmLevelAfter(this.#calmMs, levelMs)
    const isCalm = isCalmLevel(this.#calmMs, levelMs)
    // A kind that is alone shows no difference.
    const isMixed = this.#touched.size > 1
    for (const kind of this.#touched) {
      if (isMixed) learn(kind, levelMs, isCalm)
      kind.answers = 0
      kind.sumMs = 0
    }
    this.#usualWeight = Math.min(USUAL_MEMORY, this.#usualWeight + WINDOW)
    this.#usualMs += (WINDOW / this.#usualWeight) * (this.#extraSumMs / WINDOW - this.#usualMs)
    this.#touched.clear()
    this.#pages = 0
    this.#levelSumMs = 0
    this.#extraSumMs = 0
  }

  #costOf({ known }: Kind): number | null {
    return knownCost(known, this.#calmMs, this.#usualMs)
  }
}

/** The window has ended: its answers of this kind are averaged with the older ones. */
function learn(kind: Kind, levelMs: number, isCalm: boolean): void {
  const { answers, sumMs, known } = kind
  const meanMs = sumMs / answers
  const errorMs = meanMs - levelMs - known.extraMs
  kind.known = extraTimeAfter(known, { answers, meanMs, errorMs, isCalm }, MEMORY)
}
