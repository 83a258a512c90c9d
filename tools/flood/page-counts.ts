import {
  bucketOf,
  EMPTY_HISTOGRAM,
  HISTOGRAM_BUCKETS,
  type Histogram,
  mergeHistograms,
  quantileMs,
  toHistogram,
} from '../../src/lib/histogram.ts'
import type { Loss } from '../crowd/visitor.ts'
import { CLASS_OF, PAGE_CLASSES, type PageClass, type PageKind } from '../demo/pages.ts'
import type { Phase } from './crowd.ts'
import { Waits } from './waits.ts'

/** Counts of pages, by the phase in which they were requested. */
export interface Figures {
  /** Pages of all sessions that arrived, whether they were requested or not. */
  readonly offered: number
  readonly sent: number
  /** Sent and not refused. */
  readonly admitted: number
  readonly inSla: number
  readonly late: number
  readonly failed: number
  readonly refused: number
  readonly abandoned: number
  /** Not sent, because the generator had no free socket. */
  readonly dropped: number
  /** In flight when the run was interrupted. */
  readonly unfinished: number
  /** Of all served pages, in SLA and late; null: none was served. */
  readonly p50Ms: number | null
  readonly p95Ms: number | null
  readonly p99Ms: number | null
}

class Cell {
  offered = 0
  sent = 0
  inSla = 0
  late = 0
  failed = 0
  refused = 0
  abandoned = 0
  dropped = 0
  readonly times = new Uint32Array(HISTOGRAM_BUCKETS)
}

type Cells = Readonly<Record<PageClass, Cell>>

/** Counts the outcomes of all pages of a run. */
export class PageCounts {
  readonly #slaMs: number
  readonly #nowMs: () => number
  readonly #inSlaBySecond: number[] = []
  readonly waits = new Waits()
  readonly #cells: Readonly<Record<Phase, Cells>> = { calm: freshCells(), surge: freshCells() }

  /** `nowMs`: time since the start of the run. */
  constructor(slaMs: number, nowMs: () => number) {
    this.#slaMs = slaMs
    this.#nowMs = nowMs
  }

  /** Pages served within the SLA in each second of the run. */
  get inSlaBySecond(): readonly number[] {
    return Array.from(this.#inSlaBySecond, (count) => count ?? 0)
  }

  offer(phase: Phase, walk: readonly PageKind[]): void {
    for (const kind of walk) this.#cell(phase, kind).offered++
  }

  send(phase: Phase, kind: PageKind): void {
    this.#cell(phase, kind).sent++
  }

  /** The answer was a waiting page: the page itself was not requested yet. */
  wait(phase: Phase, kind: PageKind): void {
    this.#cell(phase, kind).sent--
  }

  drop(phase: Phase, kind: PageKind): void {
    this.#cell(phase, kind).dropped++
  }

  serve(phase: Phase, kind: PageKind, ms: number): void {
    const cell = this.#cell(phase, kind)
    if (ms <= this.#slaMs) {
      cell.inSla++
      const second = Math.floor(this.#nowMs() / 1000)
      this.#inSlaBySecond[second] = (this.#inSlaBySecond[second] ?? 0) + 1
    } else cell.late++
    cell.times[bucketOf(ms)]! += 1
  }

  lose(phase: Phase, kind: PageKind, loss: Loss): void {
    this.#cell(phase, kind)[loss]++
  }

  figures(phase: Phase, pageClass: PageClass): Figures {
    return figuresOf([this.#cells[phase][pageClass]])
  }

  totals(phase: Phase): Figures {
    return figuresOf(PAGE_CLASSES.map((pageClass) => this.#cells[phase][pageClass]))
  }

  #cell(phase: Phase, kind: PageKind): Cell {
    return this.#cells[phase][CLASS_OF[kind]]
  }
}

function freshCells(): Cells {
  return { browse: new Cell(), cart: new Cell(), checkout: new Cell() }
}

function figuresOf(cells: readonly Cell[]): Figures {
  const add = (count: (cell: Cell) => number) => cells.reduce((sum, cell) => sum + count(cell), 0)
  const times = cells.reduce<Histogram>(
    (merged, cell) => mergeHistograms(merged, toHistogram(cell.times)),
    EMPTY_HISTOGRAM,
  )
  const settled = add(
    ({ inSla, late, failed, refused, abandoned }) => inSla + late + failed + refused + abandoned,
  )
  const sent = add((cell) => cell.sent)
  const refused = add((cell) => cell.refused)
  return {
    offered: add((cell) => cell.offered),
    sent,
    admitted: sent - refused,
    inSla: add((cell) => cell.inSla),
    late: add((cell) => cell.late),
    failed: add((cell) => cell.failed),
    refused,
    abandoned: add((cell) => cell.abandoned),
    dropped: add((cell) => cell.dropped),
    unfinished: sent - settled,
    p50Ms: quantileMs(times, 0.5),
    p95Ms: quantileMs(times, 0.95),
    p99Ms: quantileMs(times, 0.99),
  }
}
