import type { CrowdListener, PageRequest } from '../crowd/visitor.ts'

/** One step of the flood. `late` is its last third, when the servers should be up. */
export interface AutoscaleStep {
  readonly pagesPerSecond: number
  readonly servers: number
  readonly refused: number
  readonly refusedLate: number
  readonly p95Ms: number
  readonly p95LateMs: number
}

class Step {
  offered = 0
  refused = 0
  offeredLate = 0
  refusedLate = 0
  servers = 1
  readonly ms: number[] = []
  readonly lateMs: number[] = []
}

/** Counts what happens to the visitors, by step of the flood. The last step lasts longer. */
export class StepCounts {
  readonly #stepMs: number
  readonly #endMs: number
  readonly #steps: readonly Step[]
  readonly #admitted = new Set<unknown>()
  readonly #broken = new Set<unknown>()
  #nowMs: () => number = () => 0

  constructor(steps: number, stepMs: number, holdMs: number) {
    this.#stepMs = stepMs
    this.#endMs = steps * stepMs + holdMs
    this.#steps = Array.from({ length: steps }, () => new Step())
  }

  listen(nowMs: () => number): CrowdListener {
    this.#nowMs = nowMs
    return {
      arrive: () => {},
      send: ({ page, sentMs }) => {
        const step = this.#at(sentMs)
        if (page > 0 || step === null) return
        step.offered++
        if (this.#isLate(sentMs)) step.offeredLate++
      },
      drop: () => {},
      serve: (request, ms) => this.#serve(request, ms),
      lose: ({ session, page, sentMs }, loss) => {
        // A new visitor that is refused is no broken session. Everything else is.
        if (page > 0 || loss !== 'refused') {
          this.#broken.add(session)
          return
        }
        const step = this.#at(sentMs)
        if (step === null) return
        step.refused++
        if (this.#isLate(sentMs)) step.refusedLate++
      },
    }
  }

  servers(servers: number): void {
    const step = this.#at(this.#nowMs())
    if (step !== null) step.servers = servers
  }

  get admitted(): number {
    return this.#admitted.size
  }

  get broken(): number {
    return this.#broken.size
  }

  steps(pagesPerSecond: number): readonly AutoscaleStep[] {
    return this.#steps.map((step, i) => ({
      pagesPerSecond: pagesPerSecond * 2 ** i,
      servers: step.servers,
      refused: step.refused / Math.max(1, step.offered),
      refusedLate: step.refusedLate / Math.max(1, step.offeredLate),
      p95Ms: p95(step.ms),
      p95LateMs: p95(step.lateMs),
    }))
  }

  #serve({ session, sentMs }: PageRequest, ms: number): void {
    this.#admitted.add(session)
    const step = this.#at(sentMs)
    step?.ms.push(ms)
    if (this.#isLate(sentMs)) step?.lateMs.push(ms)
  }

  /** null: after the flood. */
  #at(ms: number): Step | null {
    if (ms >= this.#endMs) return null
    return this.#steps[Math.min(this.#steps.length - 1, Math.floor(ms / this.#stepMs))]!
  }

  #isLate(ms: number): boolean {
    const index = Math.min(this.#steps.length - 1, Math.floor(ms / this.#stepMs))
    const isLast = index === this.#steps.length - 1
    const lengthMs = isLast ? this.#endMs - index * this.#stepMs : this.#stepMs
    return ms - index * this.#stepMs > (2 / 3) * lengthMs
  }
}

function p95(ms: readonly number[]): number {
  return ms.toSorted((a, b) => a - b)[Math.ceil(0.95 * ms.length) - 1] ?? 0
}
