import type { Session } from '../crowd/session.ts'
import type { CrowdListener, Loss, PageRequest } from '../crowd/visitor.ts'

/** What happened in one second of a trial, by the time of the answer. */
export interface SecondCounts {
  inSla: number
  late: number
  abandoned: number
  failed: number
  refused: number
}

export interface PartCounts {
  sessions: number
  /** Sessions that were served at least their first page. */
  admitted: number
  inSla: number
}

/** Counts the outcomes of all requests of a trial. */
export class TrialCounts implements CrowdListener {
  readonly #targetMs: number
  readonly #nowMs: () => number
  readonly #bySecond: SecondCounts[] = []
  readonly #cut = new Set<Session>()
  readonly #parts = new Map<string, PartCounts>()
  readonly failures: Record<string, number> = {}
  dropped = 0

  /** `nowMs`: time since the start of the trial. */
  constructor(targetMs: number, nowMs: () => number) {
    this.#targetMs = targetMs
    this.#nowMs = nowMs
  }

  /** Each second of the first `seconds`, without gaps. */
  bySecond(seconds: number): readonly SecondCounts[] {
    return Array.from({ length: Math.floor(seconds) }, (_, i) => this.#bySecond[i] ?? fresh())
  }

  /** Sessions that were admitted and refused later. */
  get cut(): number {
    return this.#cut.size
  }

  get parts(): Readonly<Record<string, PartCounts>> {
    return Object.fromEntries(this.#parts)
  }

  arrive({ pages }: Session): void {
    this.#part(pages[0]!.kind).sessions++
  }

  send(): void {}

  drop(): void {
    this.dropped++
  }

  serve({ session, page }: PageRequest, ms: number): void {
    const part = this.#part(session.pages[page]!.kind)
    if (page === 0) part.admitted++
    if (ms > this.#targetMs) {
      this.#second().late++
      return
    }
    part.inSla++
    this.#second().inSla++
  }

  lose({ session, page }: PageRequest, loss: Loss, code: string): void {
    this.#second()[loss]++
    if (loss === 'refused' && page > 0) this.#cut.add(session)
    if (loss === 'failed') this.failures[code] = (this.failures[code] ?? 0) + 1
  }

  #second(): SecondCounts {
    const second = Math.floor(this.#nowMs() / 1000)
    this.#bySecond[second] ??= fresh()
    return this.#bySecond[second]
  }

  #part(name: string): PartCounts {
    const part = this.#parts.get(name) ?? { sessions: 0, admitted: 0, inSla: 0 }
    this.#parts.set(name, part)
    return part
  }
}

function fresh(): SecondCounts {
  return { inSla: 0, late: 0, abandoned: 0, failed: 0, refused: 0 }
}
