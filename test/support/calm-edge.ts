import { CoordinatorCore } from '../../src/coordinator/coordinator-core.ts'
import { RelayCore } from '../../src/coordinator/relay-core.ts'
import { coordinatorSetup } from '../../src/gate/coordinator-setup.ts'
import { Gate } from '../../src/gate/gate.ts'
import { ColoPlanCache } from '../../src/gate/plan-cache.ts'
import type { Visit } from '../../src/gate/visit.ts'
import type { ReportAnswer } from '../../src/protocol/coordinator-port.ts'
import type { Feedback } from '../../src/protocol/feedback.ts'
import { background, FakeRuntime, START_MS } from './fakes.ts'
import { feedbackOf } from './feedback.ts'
import { type Asked, routesOf, SECRET, viewOf } from './requests.ts'

/** A message to the relay takes so long. */
const TO_RELAY_MS = 5

const ROUTE = { learner: { name: 'fixed', limit: 50 } }

/** The state of a coordinator that has found calm for half a minute. */
const calmState = (() => {
  const core = new CoordinatorCore()
  const setup = coordinatorSetup(routesOf(ROUTE), 0)
  for (let seq = 0; seq < 33; seq++) {
    const toMs = START_MS + (seq - 33) * 1000
    const counts = { offered: 2, admitted: 2, requests: 2, served: 2 }
    const given = { sender: 'origin@BER', seq, toMs, setup }
    core.handle({ ...feedbackOf({ shop: { default: counts } }, given), isolates: 1 }, toMs)
  }
  return core.state
})()

/** The part of the Cache API that is used. */
class FakeCache {
  readonly #kept = new Map<string, Response>()

  async match(key: string): Promise<Response | undefined> {
    return this.#kept.get(key)?.clone()
  }

  async put(key: string, response: Response): Promise<void> {
    this.#kept.set(key, response)
  }
}

/**
 * A data centre with these isolates, its relay and the coordinator, in simulated time. The limit is 50 sessions a second.
 * The coordinator has found calm before.
 */
export class CalmEdge {
  readonly runtime = new FakeRuntime()
  readonly core = new CoordinatorCore(structuredClone(calmState))
  /** Messages to the relay: reports and questions. */
  readonly sent = { reports: 0, questions: 0, toCoordinator: 0 }
  readonly gates: readonly Gate[]
  readonly #relay: RelayCore
  readonly #toCoordinatorMs: number

  /** `toCoordinatorMs`: how long a message takes from the relay to the coordinator, and back. */
  constructor(isolates: number, toCoordinatorMs = 30) {
    const { runtime, core, sent } = this
    this.#toCoordinatorMs = toCoordinatorMs
    const { now, sleep } = runtime
    this.#relay = new RelayCore({
      ...{ sender: 'origin@BER', now, sleep, warn: () => {} },
      send: async (feedback) => {
        sent.toCoordinator++
        await sleep(toCoordinatorMs)
        const answer = core.handle(feedback, now())
        await sleep(toCoordinatorMs)
        return answer
      },
    })
    const shared = new FakeCache() as unknown as Cache
    const routes = routesOf(ROUTE)
    this.gates = Array.from(
      { length: isolates },
      (_, i) =>
        new Gate(
          { routes },
          {
            secrets: { current: SECRET, previous: null },
            portFor: () => ({ report: (feedback) => this.#carry(feedback) }),
            ...{ cache: new ColoPlanCache(shared), runtime, sender: `isolate ${i}` },
            ipOf: () => null,
          },
        ),
    )
  }

  async #carry(feedback: Feedback): Promise<ReportAnswer> {
    if (feedback.confirms) this.sent.questions++
    else this.sent.reports++
    await this.runtime.sleep(TO_RELAY_MS)
    const answer = await this.#relay.handle(feedback)
    await this.runtime.sleep(TO_RELAY_MS)
    return structuredClone(answer)
  }

  /** A request of a visitor, as the proxy handles it. Its verdict, and how long it waited for it. */
  async visit(isolate: number, asked: Asked = {}): Promise<{ visit: Visit; waitedMs: number }> {
    const { runtime } = this
    const startMs = runtime.now()
    const { gate, view } = this.gates[isolate]!.enter(viewOf('/', asked).request)!
    gate.reporter.touch(background, startMs)
    const wanted = gate.wantsNewPlan(view, startMs)
    const renewed = wanted === null ? null : gate.reporter.renew(background)
    if (wanted === 'first') await renewed
    const visit = await gate.decide(view, runtime.now())
    if (!visit.isRefused) {
      visit.begin(runtime.now())
      visit.settle('served')
    }
    return { visit, waitedMs: runtime.now() - startMs }
  }

  /** Each isolate has a plan of calm, after visits in turn. */
  async untilCalm(): Promise<void> {
    for (let i = 0; i < 400 && this.core.plan?.calmMs === undefined; i++)
      await this.#pass(i % this.gates.length)
    if (this.core.plan?.calmMs === undefined) throw new Error('There is no calm')
    for (let i = 0; i < 30; i++) await this.#pass(i % this.gates.length)
  }

  async #pass(isolate: number): Promise<void> {
    void this.visit(isolate)
    await this.runtime.advance(500)
  }

  /** The coordinator gives its plan to the relay, as its Durable Object does. */
  push(): void {
    const { plan } = this.core
    if (!this.core.takeNews() || plan === null) return
    void this.runtime.sleep(this.#toCoordinatorMs).then(() => this.#relay.take(plan))
  }
}
