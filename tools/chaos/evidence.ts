import type { Fault } from './faults.ts'
import type { Operator } from './operator.ts'
import type { VisitorCounts, Visitors } from './visitors.ts'

const SAMPLE_MS = 500
/** A learner goes on trying: the limit before is the middle one of this many samples, ten seconds. */
const SAMPLES_BEFORE = 20
const MOST_CHANGE = 0.1
const DRAIN_WITHIN_MS = 15_000
const TOUCHED_MS = 5000
/** Counters are looked at so often, in samples. */
const METRICS_EVERY = 4

export interface ChaosResult {
  readonly counts: VisitorCounts
  readonly faults: number
  /** The limit just before the first fault. */
  readonly limitBefore: number | null
  /** The first limit after the last fault that is within 10 % of it; none: the one after ten ticks. */
  readonly limitAfter: number | null
  /** Admitted requests, and those that are settled, by the gate's own counters. */
  readonly admitted: number
  readonly settled: number
  /** The largest difference of the two that the lost reports explain. */
  readonly lostAtMost: number
  readonly actions: number
  readonly minutes: number
  /** What did not hold; empty: all did. */
  readonly violations: readonly string[]
}

/** Watches a chaos run, and judges it at the end. */
export class Evidence {
  readonly #operator: Operator
  readonly #visitors: Visitors
  readonly #violations: string[] = []
  readonly #limits: number[] = []
  readonly #actions: string[] = []
  #limitsAfter: number[] | null = null
  #before: number | null = null
  #faults = 0
  #counters: ReadonlyMap<string, number> = new Map()
  #lostAtMost = 0
  #peakInFlight = 0
  #samples = 0
  readonly #startedMs = Date.now()

  constructor(operator: Operator, visitors: Visitors) {
    this.#operator = operator
    this.#visitors = visitors
  }

  /** Looks at the gate for so long. */
  async watch(ms: number): Promise<void> {
    const endAt = performance.now() + ms
    for (;;) {
      const leftMs = endAt - performance.now()
      if (leftMs <= 0) return
      await sleep(Math.min(SAMPLE_MS, leftMs))
      this.#peakInFlight = Math.max(this.#visitors.inFlight, this.#peakInFlight)
      await this.#sample()
    }
  }

  endWarmUp(): void {
    const last = this.#limits.slice(-SAMPLES_BEFORE).toSorted((a, b) => a - b)
    this.#before = last[last.length >> 1] ?? null
  }

  began({ part }: Fault): void {
    this.#faults++
    this.#peakInFlight = this.#visitors.inFlight
    // A part that is lost takes its counts along: requests without their ends, or ends without their requests.
    if (part !== 'origin') this.#lostAtMost += this.#peakInFlight
  }

  ended({ part }: Fault): void {
    if (part !== 'origin') this.#lostAtMost += this.#peakInFlight
  }

  /** The limit must come back within this time. */
  async recover(ms: number): Promise<void> {
    this.#limitsAfter = []
    const endAt = performance.now() + ms
    while (performance.now() < endAt && !isNear(this.#limitsAfter.at(-1), this.#before))
      await this.watch(SAMPLE_MS)
  }

  /** An operator does something. What was confirmed must be in the audit log. */
  async act(): Promise<void> {
    const id = await this.#operator.act('chaos')
    if (id !== null) this.#actions.push(id)
  }

  /** Reports go out behind requests, so this sends some that are not counted, until nothing is in flight. */
  async drain(carrier: string): Promise<void> {
    const giveUpAt = performance.now() + DRAIN_WITHIN_MS
    let isEmptyTwice = false
    while (performance.now() < giveUpAt) {
      await fetch(carrier, { headers: { 'X-Carrier': '1' } }).then((answer) => answer.text())
      await sleep(SAMPLE_MS * 2)
      const inFlight = (await this.#operator.status())?.lastMinute?.inFlight
      if (inFlight === 0 && isEmptyTwice) return
      isEmptyTwice = inFlight === 0
    }
    this.#violations.push('requests are still in flight, although no visitor is left')
  }

  async result(): Promise<ChaosResult> {
    const { counts } = this.#visitors
    await this.#compareCounters()
    const admitted = sumOf(this.#counters, 'tidegate_requests_total', 'verdict="admit"')
    const settled = sumOf(this.#counters, 'tidegate_origin_requests_total', '')
    const limitAfter = this.#limitsAfter?.at(-1) ?? null
    this.#judgeVisitors(counts)
    if (Math.abs(admitted - settled) > this.#lostAtMost)
      this.#violations.push(
        `${admitted} requests were admitted and ${settled} settled; lost reports explain ${this.#lostAtMost}`,
      )
    if (!isNear(limitAfter, this.#before))
      this.#violations.push(`the limit was ${this.#before}, and is ${limitAfter} after ten ticks`)
    await this.#judgeAudit()
    const minutes = await this.#judgeHistory()
    return {
      ...{ counts, faults: this.#faults, limitBefore: this.#before, limitAfter, admitted, settled },
      ...{ lostAtMost: this.#lostAtMost, actions: this.#actions.length, minutes },
      violations: this.#violations,
    }
  }

  #judgeVisitors({ refusedSessions, strange, admittedSessions }: VisitorCounts): void {
    if (admittedSessions === 0) this.#violations.push('nobody was admitted')
    if (refusedSessions.length > 0)
      this.#violations.push(`admitted sessions were refused: ${refusedSessions.join(', ')}`)
    if (strange.length > 0) this.#violations.push(`strange answers: ${strange.join(', ')}`)
  }

  async #judgeAudit(): Promise<void> {
    const logged = await this.#operator.auditIds()
    const lost = this.#actions.filter((id) => !logged.has(id))
    if (lost.length > 0) this.#violations.push(`${lost.length} actions are not in the audit log`)
  }

  /** Every minute that has ended in the run has a point. Returns their number. */
  async #judgeHistory(): Promise<number> {
    const points = await this.#operator.minutes()
    // A minute that the run only touched may have had no tick.
    const [first, now] = [this.#startedMs + TOUCHED_MS, Date.now()].map((ms) =>
      Math.floor(ms / 60_000),
    )
    let minutes = 0
    for (let minute = first!; minute < now!; minute++) {
      minutes++
      if (!points.has(minute))
        this.#violations.push(
          `the history has no point at ${new Date(minute * 60_000).toISOString()}`,
        )
    }
    return minutes
  }

  async #sample(): Promise<void> {
    const limit = await this.#operator.limit()
    if (limit !== null) (this.#limitsAfter ?? this.#limits).push(limit)
    if (this.#samples++ % METRICS_EVERY === 0) await this.#compareCounters()
  }

  /** A counter that falls has lost something that was seen. */
  async #compareCounters(): Promise<void> {
    const counters = await this.#operator.metrics()
    if (counters === null) return
    for (const [name, value] of counters)
      if (name.includes('_total{') && value < (this.#counters.get(name) ?? 0))
        this.#violations.push(`${name} fell from ${this.#counters.get(name)} to ${value}`)
    this.#counters = counters
  }
}

function sumOf(counters: ReadonlyMap<string, number>, family: string, label: string): number {
  let sum = 0
  for (const [name, value] of counters)
    if (name.startsWith(`${family}{`) && name.includes(label)) sum += value
  return sum
}

const isNear = (after: number | null | undefined, before: number | null): boolean =>
  after != null && before !== null && Math.abs(after - before) <= MOST_CHANGE * before

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
