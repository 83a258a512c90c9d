import { ScanResistantCache } from '../lib/scan-resistant-cache.ts'

/** One answer of the origin. */
export interface TimedAnswer {
  /** Its route and path, as `keyOf` gives them. */
  readonly key: string
  readonly method: string
  readonly status: number
  readonly responseMs: number
  /** Age of its session; null: it has none, or it is new. */
  readonly sessionAgeMs: number | null
}

/** An answer below this part of a page's cost is light. */
const LIGHT_BELOW = 0.25
/** Where the cost of a path is known, only one below this part is light, because the cost itself can be counted. */
export const KNOWN_LIGHT_BELOW = 0.1
/** A light answer counts at least as this part of a page. */
const LEAST_LOAD = 0.005
/**
 * Sessions of this age tell what a page costs. New sessions are limited by the gate itself, so a client with old cookies
 * cannot change what a page is.
 */
const YOUNG_MS = 30_000
/**
 * Pages of one median. The median of the last ones is the current response time, and the lowest of all medians is the
 * response time without queueing. A mean would be that of a few slow pages, and then ordinary pages would seem light.
 */
const WINDOW = 15
/** The lowest median is forgotten slowly, by this factor a window, because pages may become slower. */
const FORGET = 1.002
/** Answers of a kind before its cost is used, and the weight of the newest one after many. */
const ENOUGH = 10
const WEIGHT = 1 / 256
const MOST_KINDS = 1024

/** How much faster than a page the answers of one kind are. */
interface Kind {
  readonly seen: number
  readonly fasterMs: number
  /** Of one answer. */
  readonly variance: number
}

const NEW_KIND: Kind = { seen: 0, fasterMs: 0, variance: 0 }
/** Pages differ by chance, and the median of the last ones is some seconds old: they are light beyond so many errors. */
const ERRORS = 2

/** The kind of pages whose path is seldom seen. */
export const SELDOM = 'seldom'

/** A path that was seen often has a cost of its own. Seldom ones, and answers without a page, share one. */
export const sharedKindOf = ({ method, status }: Pick<TimedAnswer, 'method' | 'status'>): string =>
  method === 'HEAD' ? method : isPageStatus(status) ? SELDOM : String(status)

const isPageStatus = (status: number): boolean => status >= 200 && status < 300 && status !== 204

export const isTypical = ({ sessionAgeMs }: Pick<TimedAnswer, 'sessionAgeMs'>): boolean =>
  sessionAgeMs === null || sessionAgeMs < YOUNG_MS

/** `page`: the answer counts by its own cost. `stands-in`: it counts as one page, for all light answers. */
export type Counted = 'page' | 'stands-in' | 'ignored'

/**
 * Does an answer count as a page? Answers such as 404, 304, redirects and tiny pages cost the origin next to nothing.
 * If they counted like pages, the origin's capacity would look larger than it is for pages. So a light answer counts
 * only as often as its cost is of a page's: one of 50, if it costs a fiftieth.
 *
 * The cost follows from response times. With a queue all answers wait alike, so the difference to the pages of the
 * same moment is taken, and not the ratio: s = s_page − (R_page − R).
 */
export class AnswerLoads {
  readonly #kinds = new ScanResistantCache<Kind>(MOST_KINDS)
  #currentMs = Number.NaN
  #calmMs = Number.POSITIVE_INFINITY
  readonly #last = new Float64Array(WINDOW)
  #pages = 0
  #owed = 0

  count(answer: TimedAnswer): Counted {
    const { responseMs } = answer
    const shared = sharedKindOf(answer)
    if (shared === SELDOM && isTypical(answer)) this.#addPage(responseMs)
    if (Number.isNaN(this.#currentMs)) return 'page'
    const kind = this.#observe(answer, shared, this.#currentMs - responseMs)
    if (kind.seen < ENOUGH) return 'page'
    const load = 1 - kind.fasterMs / this.#calmMs
    const doubtMs =
      shared === SELDOM ? ERRORS * Math.sqrt(kind.variance * Math.max(WEIGHT, 1 / kind.seen)) : 0
    if (load + doubtMs / this.#calmMs >= LIGHT_BELOW) return 'page'
    return this.#dither(Math.max(LEAST_LOAD, load)) ? 'stands-in' : 'ignored'
  }

  #observe({ key }: TimedAnswer, shared: string, fasterMs: number): Kind {
    if (shared !== SELDOM) return this.#add(shared, fasterMs)
    const own = this.#add(key, fasterMs)
    return own.seen >= ENOUGH ? own : this.#add(shared, fasterMs)
  }

  #add(key: string, fasterMs: number): Kind {
    const before = this.#kinds.get(key) ?? NEW_KIND
    const seen = before.seen + 1
    const weight = Math.max(WEIGHT, 1 / seen)
    const error = fasterMs - before.fasterMs
    const kind = {
      seen,
      fasterMs: before.fasterMs + weight * error,
      variance: (1 - weight) * (before.variance + weight * error ** 2),
    }
    this.#kinds.set(key, kind)
    return kind
  }

  #addPage(responseMs: number): void {
    this.#last[this.#pages++ % WINDOW] = responseMs
    if (this.#pages < WINDOW) return
    this.#currentMs = this.#last.toSorted()[WINDOW >> 1]!
    if (this.#pages % WINDOW === 0)
      this.#calmMs = Math.max(1, Math.min(this.#calmMs * FORGET, this.#currentMs))
  }

  #dither(load: number): boolean {
    this.#owed += load
    if (this.#owed < 1) return false
    this.#owed -= 1
    return true
  }
}
