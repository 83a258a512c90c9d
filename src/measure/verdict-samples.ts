import type { RoutePlan } from '../protocol/plan.ts'
import type { Verdict } from '../protocol/verdict.ts'
import { classHash, verdictId } from '../protocol/verdict-id.ts'

/** Samples in one report. */
const MOST = 2

/** A few of the verdicts on a route since the last report, for operators. */
export class VerdictSamples {
  readonly #names: readonly string[]
  readonly #hashes: readonly string[]
  readonly #samples: string[] = []
  #count = 0
  #planSeq = 0
  #plan: RoutePlan | null = null

  constructor(route: string, classNames: readonly string[]) {
    this.#names = classNames
    this.#hashes = classNames.map((name) => classHash(route, name))
  }

  follow(planSeq: number, plan: RoutePlan): void {
    this.#planSeq = planSeq
    this.#plan = plan
  }

  idOf(verdict: Verdict, classIndex: number, nowMs: number): string {
    const probability = this.#plan?.classes[this.#names[classIndex]!]?.probability ?? 1
    return verdictId(nowMs, this.#hashes[classIndex]!, this.#planSeq, probability, verdict)
  }

  /** The 1st, 2nd, 4th, 8th, … verdict takes the place of the oldest sample. So most requests only count. */
  offer(verdict: Verdict, classIndex: number, now: () => number): void {
    this.#count++
    if ((this.#count & (this.#count - 1)) !== 0) return
    if (this.#samples.length === MOST) this.#samples.shift()
    this.#samples.push(this.idOf(verdict, classIndex, now()))
  }

  drain(): readonly string[] {
    this.#count = 0
    return this.#samples.splice(0)
  }
}
