import { describe, it } from 'vitest'
import { Gate } from '../../src/gate/gate.ts'
import type { StoredPlan } from '../../src/gate/plan-cache.ts'
import type { ReportAnswer } from '../../src/protocol/coordinator-port.ts'
import type { Feedback } from '../../src/protocol/feedback.ts'
import { background, FakeRuntime, silent } from '../support/fakes.ts'
import { sessionOf } from '../support/gates.ts'
import { type Asked, type Planned, planOf, routesOf, SECRET, viewOf } from '../support/requests.ts'

const GOOD_FOR_MS = 2000
const SILENCE_MS = 10_000

interface Given {
  /** What the data centre's cache has, and how long reading it takes. */
  readonly stored?: StoredPlan | null
  readonly readMs?: number
  readonly keys?: object
}

/** An isolate behind a relay that answers as a test says. */
class Isolate {
  readonly runtime = new FakeRuntime()
  readonly reports: Feedback[] = []
  readonly #gate: Gate
  #answer: (feedback: Feedback) => Promise<ReportAnswer> = silent

  constructor({ stored = null, readMs = 2, keys = {} }: Given = {}) {
    const { runtime } = this
    const cache = {
      read: () => runtime.sleep(readMs).then(() => stored),
      offer: async () => {},
    }
    this.#gate = new Gate(
      { routes: routesOf({ ...keys }) },
      {
        secrets: { current: SECRET, previous: null },
        portFor: () => ({
          report: (feedback) => {
            // What is not answered for long is sent again.
            if (!this.reports.includes(feedback)) this.reports.push(feedback)
            return this.#answer(feedback)
          },
        }),
        ...{ cache, runtime, sender: 'isolate 1', ipOf: () => null },
      },
    )
  }

  /** From now on the relay gives this plan after so many milliseconds; null: it does not answer. */
  answers(plan: Planned | null, afterMs = 0, part: Omit<ReportAnswer, 'plan'> = { share: 0.01 }) {
    const given = plan && planOf({ goodForMs: GOOD_FOR_MS, ...plan })
    this.#answer =
      given === null
        ? silent
        : () => this.runtime.sleep(afterMs).then(() => ({ plan: given, ...part }))
  }

  /** So many requests that come at the same moment, each handled as the proxy does: how they fared. */
  async arrive(count = 1, asked: Asked = {}) {
    const { runtime } = this
    const startMs = runtime.now()
    const visiting = Array.from({ length: count }, async () => {
      const { gate, view } = this.#gate.enter(viewOf('/', asked).request)!
      const { reporter, route } = gate
      reporter.touch(background, startMs)
      const wanted = gate.wantsNewPlan(view, startMs)
      const renewed = wanted && reporter.renew(background, route.startup === 'cached')
      if (wanted === 'first') await renewed
      const visit = await gate.decide(view, runtime.now())
      return { visit, waitedMs: runtime.now() - startMs }
    })
    await runtime.advance(150)
    const visits = await Promise.all(visiting)
    return {
      visits,
      admitted: visits.filter(({ visit }) => !visit.isRefused).length,
      waitedMs: Math.max(...visits.map(({ waitedMs }) => waitedMs)),
    }
  }
}

/** An isolate that was told to let everybody in, and has had no visitor since then. */
async function silentIsolate(given: Given = {}) {
  const isolate = new Isolate(given)
  isolate.answers({})
  const { visits } = await isolate.arrive()
  await isolate.runtime.advance(SILENCE_MS)
  return { isolate, first: visits[0]!.visit }
}

const CLOSED: Planned = { seq: 2, drawLimit: 0, classes: { default: { probability: 0 } } }

describe('a draw by a plan that is older than its validity', () => {
  it('waits for the answer to a report that goes out at once, and is decided by its plan', async ({
    expect,
  }) => {
    const { isolate } = await silentIsolate()
    const { reports, runtime } = isolate
    const before = reports.length
    isolate.answers(CLOSED, 40)
    const atMs = runtime.now()
    const { admitted, waitedMs } = await isolate.arrive(100)
    expect(admitted).toBe(0)
    expect(waitedMs).toBe(40)
    // One report for all of them.
    const sent = reports.slice(before).filter(({ toMs }) => toMs === atMs)
    expect(sent).toMatchObject([{ asks: true, wants: true }])
  })

  it('is none a second after the last answer: nobody waits then', async ({ expect }) => {
    const isolate = new Isolate()
    isolate.answers({}, 30)
    expect((await isolate.arrive()).waitedMs).toBe(30)
    await isolate.runtime.advance(850)
    expect((await isolate.arrive()).waitedMs).toBe(0)
    // The report of this visitor goes out a second later.
    await isolate.runtime.advance(1000 + GOOD_FOR_MS)
    expect((await isolate.arrive()).waitedMs).toBe(30)
  })

  it('waits 100 ms at the most, and then a fair part of the plan in the cache holds', async ({
    expect,
  }) => {
    const plan = planOf({ seq: 2, drawLimit: 100, classes: { default: { probability: 0.1 } } })
    const { isolate } = await silentIsolate({ stored: { plan, fairPart: 0.02 } })
    isolate.answers(null)
    const { admitted, waitedMs } = await isolate.arrive(1000)
    expect(waitedMs).toBe(100)
    // Two a second is a fair part of 100/s.
    expect(admitted).toBeGreaterThanOrEqual(1)
    expect(admitted).toBeLessThanOrEqual(2)
  })

  it('goes by the plan that the isolate has, where the cache has no newer one: 20 where no limit is known', async ({
    expect,
  }) => {
    const { isolate } = await silentIsolate()
    isolate.answers(null)
    const { admitted } = await isolate.arrive(1000)
    expect(admitted).toBeGreaterThanOrEqual(1)
    expect(admitted).toBeLessThanOrEqual(20)
  })

  it('is not what a known session makes: it passes at once, and the report goes out at once', async ({
    expect,
  }) => {
    const { isolate, first } = await silentIsolate()
    const Cookie = sessionOf(first, isolate.runtime.now())
    isolate.answers(null)
    const atMs = isolate.runtime.now()
    const before = isolate.reports.length
    const { admitted, waitedMs } = await isolate.arrive(5, { headers: { Cookie } })
    expect([admitted, waitedMs]).toEqual([5, 0])
    expect(isolate.reports.slice(before).map(({ toMs }) => toMs)).toEqual([atMs])
  })
})

describe('a newborn isolate', () => {
  it('waits for the answer to its first report, and keeps to the part that it brings', async ({
    expect,
  }) => {
    const isolate = new Isolate()
    const lease = { load: 3, forMs: 2000, holds: 'all' as const }
    const plan = { drawLimit: 100, classes: { default: { probability: 1 } } }
    isolate.answers(plan, 40, { share: 0.01, fairPart: 0.01, lease })
    const { admitted, waitedMs } = await isolate.arrive(1000)
    expect(waitedMs).toBe(40)
    expect(admitted).toBe(3)
    expect(isolate.reports[0]).toMatchObject({ seq: 0, asks: true, wants: true })
  })

  it('admits a fair part of the plan of its data centre, where no answer comes in 100 ms', async ({
    expect,
  }) => {
    const plan = planOf({ drawLimit: 500, classes: { default: { probability: 1 } } })
    const isolate = new Isolate({ stored: { plan, fairPart: 0.02 } })
    const { admitted, waitedMs } = await isolate.arrive(1000)
    expect(waitedMs).toBe(100)
    // Ten a second.
    expect(admitted).toBeGreaterThanOrEqual(1)
    expect(admitted).toBeLessThanOrEqual(10)
  })

  it('admits 20 where its data centre has no plan, and nobody else before the first answer', async ({
    expect,
  }) => {
    const isolate = new Isolate()
    let admitted = 0
    for (let i = 0; i < 10; i++) admitted += (await isolate.arrive(100)).admitted
    expect(admitted).toBe(20)
  })

  it('does not look into the cache where the route says so: 20 hold', async ({ expect }) => {
    const stored = { plan: planOf(CLOSED), fairPart: 0.01 }
    const isolate = new Isolate({ stored, keys: { startup: 'admit' } })
    expect((await isolate.arrive(100)).admitted).toBe(20)
  })
})
