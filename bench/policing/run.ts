import { OriginAdmission } from '../../src/admission/origin-admission.ts'
import { Gate } from '../../src/gate/gate.ts'
import { RequestCosts } from '../../src/measure/request-cost.ts'
import type { Plan } from '../../src/protocol/plan.ts'
import { planOf, routesOf, START_MS, subjectOf } from '../micro/fixtures.ts'
import { measure } from '../micro/measure.ts'
import type { Task } from '../micro/task.ts'

/** What the paper's sentry handled per second (Urgaonkar and Shenoy 2005, §6.3, Fig. 4). All were dropped after the test. */
export const PAPER = { threshold: 19_000, batch: 4_000 } as const

/** Processor time of a verdict with threshold and with batch policing. */
export interface PolicingCost {
  readonly thresholdNs: number
  readonly batchNs: number
  /** Batches cost so many times as much as thresholds. */
  readonly ratio: number
}

export interface PolicingFigures {
  /** The decision alone. */
  readonly decision: PolicingCost
  /** All that the gate does for a request before it forwards or refuses it. */
  readonly gate: PolicingCost
}

export interface PolicingTiming {
  /** Of the decision, by turns. */
  readonly turns: number
  readonly sampleMs: number
  readonly samples: number
  /** Of the gate. Each is a second with 300 requests. */
  readonly rounds: number
  readonly warmUpRounds: number
}

const CLASSES = 3
const DELAYS_MS = [0, 50, 100]
/** Simulated time between two requests: 1000 a second. */
const BETWEEN_MS = 1
/** Paths whose service times are known. */
const PATHS = 100

type Police = 'threshold' | 'batch'

/** Classes take turns. One request in ten is admitted, as in a flash crowd, and no request ends. */
function deciding(police: Police): Task {
  const [written] = routesOf(1, CLASSES)
  const route = { ...written!, police, granularity: 'request' as const, fairness: null }
  const sizes = sizesOf(route.name)
  const admission = new OriginAdmission(
    [route],
    START_MS,
    () => 0.5,
    () => 0,
    sizes.inFlight,
  )
  admission.follow(crowded(planOf([route])), { share: 1 }, START_MS)
  let dueMs = START_MS
  return {
    name: `${police}, the decision`,
    run: (turn) => {
      const nowMs = START_MS + turn * BETWEEN_MS
      const index = turn % CLASSES
      if (police === 'threshold') return admission.draw(route, index, nowMs)
      if (nowMs >= dueMs) {
        dueMs = nowMs + DELAYS_MS[1]!
        admission.judgeBatches(nowMs)
      }
      const serviceMs = sizes.estimateMs(route.name, pathOf(turn))
      return admission.drawInBatch(route, index, nowMs, null, serviceMs)
    },
  }
}

const pathOf = (turn: number): string => `/r0/c${turn % CLASSES}/page-${turn % PATHS}`

function sizesOf(route: string): RequestCosts {
  const sizes = new RequestCosts()
  for (let i = 0; i < PATHS * CLASSES; i++) {
    const answered = { sampleMs: 10 + (i % 50), others: 0 }
    sizes.observe(route, pathOf(i), answered, null)
  }
  return sizes
}

function crowded(plan: Plan): Plan {
  const route = plan.routes['route-0']!
  const classes = Object.fromEntries(
    Object.entries(route.classes).map(([name, given], rank) => [
      name,
      {
        ...given,
        ...{ guaranteed: 0, conforming: 0, probability: 0.1 },
        rank,
        delayMs: DELAYS_MS[rank]!,
      },
    ]),
  )
  return {
    ...plan,
    ...{ drawLimit: 100, offered: 1000, burst: 25 },
    load: { servers: 4, serviceMs: 35, inFlight: 50, queueingMs: 0 },
    routes: { 'route-0': { ...route, classes } },
  }
}

const ROUND = 300

/** The same through the whole gate: class, cookies, decision, counters. Delayed requests wait with promises. */
class Crowd {
  readonly #gate: Gate
  readonly #plan: Plan
  readonly #subjects = Array.from({ length: PATHS * CLASSES }, (_, i) => subjectOf(pathOf(i)))
  readonly #sleepers: (() => void)[] = []
  #nowMs = START_MS
  readonly times: number[] = []

  constructor(police: Police) {
    const [written] = routesOf(1, CLASSES)
    const route = { ...written!, police, granularity: 'request' as const }
    const { signal } = new AbortController()
    for (const { request } of this.#subjects) Object.assign(request, { signal })
    this.#plan = crowded(planOf([route]))
    this.#gate = new Gate(
      { routes: [route] },
      {
        secrets: { current: 'a secret of the benchmark, long enough to be one', previous: null },
        portFor: () => ({ report: () => new Promise(() => {}) }),
        cache: null,
        runtime: {
          now: () => this.#nowMs,
          coin: () => 0.5,
          id: () => '',
          sleep: () => new Promise((wake) => this.#sleepers.push(wake)),
        },
        sender: 'bench',
        ipOf: () => '203.0.113.9',
      },
    )
  }

  /** Decides about the requests of one second; returns the time of each. */
  async round(): Promise<void> {
    const gate = this.#gate
    const { origin } = gate.enter(this.#subjects[0]!.request)!.gate
    origin.admission.follow(this.#plan, { share: 1 }, this.#nowMs)
    const startedAt = performance.now()
    const judged: unknown[] = []
    for (let i = 0; i < ROUND; i++) {
      const { gate: own, view } = gate.enter(this.#subjects[i % this.#subjects.length]!.request)!
      judged.push(own.decide(view, this.#nowMs))
    }
    this.#nowMs += DELAYS_MS[2]!
    for (const wake of this.#sleepers.splice(0)) wake()
    await Promise.all(judged)
    this.times.push(((performance.now() - startedAt) * 1e6) / ROUND)
    this.#nowMs += 1000 - DELAYS_MS[2]!
  }
}

/** Both in turn, so that other work of the machine slows down both. */
async function judging({ rounds, warmUpRounds }: PolicingTiming): Promise<Record<Police, number>> {
  const crowds = { threshold: new Crowd('threshold'), batch: new Crowd('batch') }
  for (let round = 0; round < warmUpRounds + rounds; round++)
    for (const crowd of Object.values(crowds)) await crowd.round()
  const quartile = ({ times }: Crowd): number =>
    times.slice(warmUpRounds).sort((x, y) => x - y)[rounds >> 2]!
  return { threshold: quartile(crowds.threshold), batch: quartile(crowds.batch) }
}

async function decidingBoth({ turns, ...timing }: PolicingTiming): Promise<Record<Police, number>> {
  const least = { threshold: Number.POSITIVE_INFINITY, batch: Number.POSITIVE_INFINITY }
  for (let turn = 0; turn < turns; turn++)
    for (const police of ['threshold', 'batch'] as const) {
      const [figure] = await measure([deciding(police)], timing)
      least[police] = Math.min(least[police], figure!.low)
    }
  return least
}

const costOf = ({ threshold, batch }: Record<Police, number>): PolicingCost => ({
  thresholdNs: threshold,
  batchNs: batch,
  ratio: batch / threshold,
})

/** The cost of a verdict with threshold and with batch policing, side by side. */
export async function runPolicing(
  timing: PolicingTiming,
  say: (text: string) => void,
): Promise<PolicingFigures> {
  say('policing: the decision')
  const decision = costOf(await decidingBoth(timing))
  say('policing: the gate')
  return { decision, gate: costOf(await judging(timing)) }
}
