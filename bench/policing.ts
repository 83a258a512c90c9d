import { OriginAdmission } from '../src/admission/origin-admission.ts'
import { Gate } from '../src/gate/gate.ts'
import { RequestCosts } from '../src/measure/request-cost.ts'
import type { Plan } from '../src/protocol/plan.ts'
import { planOf, routesOf, START_MS, subjectOf } from './micro/fixtures.ts'
import { measure } from './micro/measure.ts'
import type { Task } from './micro/task.ts'

/**
 * The cost of a decision with threshold and with batch policing, side by side: `node bench/policing.ts`. The paper
 * measured 19,000 and 4,000 requests a second (Urgaonkar and Shenoy 2005, §6.3, Fig. 4), all dropped after the test.
 */

const PAPER = { threshold: 19_000, batch: 4_000 }
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
const WARM_UP_ROUNDS = 50
const ROUNDS = 200

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
async function judging(): Promise<Record<Police, number>> {
  const crowds = { threshold: new Crowd('threshold'), batch: new Crowd('batch') }
  for (let round = 0; round < WARM_UP_ROUNDS + ROUNDS; round++)
    for (const crowd of Object.values(crowds)) await crowd.round()
  const quartile = ({ times }: Crowd): number =>
    times.slice(WARM_UP_ROUNDS).sort((x, y) => x - y)[ROUNDS >> 2]!
  return { threshold: quartile(crowds.threshold), batch: quartile(crowds.batch) }
}

async function decidingBoth(): Promise<Record<Police, number>> {
  const least = { threshold: Number.POSITIVE_INFINITY, batch: Number.POSITIVE_INFINITY }
  for (let turn = 0; turn < 5; turn++)
    for (const police of ['threshold', 'batch'] as const) {
      const [figure] = await measure([deciding(police)], { sampleMs: 2, samples: 15 })
      least[police] = Math.min(least[police], figure!.low)
    }
  return least
}

const figures = {
  decision: figuresOf(await decidingBoth()),
  gate: figuresOf(await judging()),
  paper: { ...PAPER, ratio: PAPER.threshold / PAPER.batch },
}

function figuresOf({ threshold, batch }: Record<Police, number>) {
  return { thresholdNs: threshold, batchNs: batch, ratio: batch / threshold }
}

if (process.argv.includes('--json')) console.log(JSON.stringify(figures, null, 2))
else {
  const row = (name: string, { thresholdNs, batchNs, ratio }: ReturnType<typeof figuresOf>) =>
    console.log(
      `${name.padEnd(22)} ${`${thresholdNs.toFixed(0)} ns`.padStart(10)} ${`${batchNs.toFixed(0)} ns`.padStart(10)} ${ratio.toFixed(1).padStart(6)}`,
    )
  console.log(
    `${''.padEnd(22)} ${'threshold'.padStart(10)} ${'batch'.padStart(10)} ${'ratio'.padStart(6)}`,
  )
  row('the decision', figures.decision)
  row('the gate’s judgement', figures.gate)
  console.log(
    `${'Cataclysm’s sentry'.padEnd(22)} ${'19,000/s'.padStart(10)} ${'4,000/s'.padStart(10)} ${figures.paper.ratio.toFixed(1).padStart(6)}`,
  )
}
