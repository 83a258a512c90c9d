import { DurableObject } from 'cloudflare:workers'
import { RelayCore } from '../src/coordinator/relay-core.ts'
import { ReplayGuard } from '../src/coordinator/replay-guard.ts'
import type { ReportAnswer } from '../src/protocol/coordinator-port.ts'
import type { Feedback } from '../src/protocol/feedback.ts'
import type { Plan } from '../src/protocol/plan.ts'
import type { Coordinator } from './coordinator.ts'
import { PlanPush, type PlanTaker } from './plan-push.ts'

interface RelayBindings {
  readonly TIDEGATE_COORDINATOR: DurableObjectNamespace<Coordinator>
  readonly TIDEGATE_RELAY: DurableObjectNamespace<OtherRelay>
}

const SIGNED_UNTIL = 'signed until'

/** What a relay calls of another: the one of its region, or those of its data centres. */
interface OtherRelay extends PlanTaker {
  report(feedback: Feedback): Promise<ReportAnswer>
}

/**
 * The relay of one colo and origin. It keeps isolates from calling the coordinator each by itself. Where many data
 * centres report, it is also the relay of a region, between those of its data centres and the coordinator.
 *
 * - Holds, in memory only: feedback that is not yet sent, and the newest plan.
 * - Stores only up to which time reports over HTTP were signed, see `ReplayGuard`, and in a region the names of the relays
 *   that report to it.
 * - Sends: one to four reports a second, as the coordinator says, made of those of its isolates.
 *   A timer sends the last one of a rush.
 * - The steps are in `RelayCore` (src/coordinator/relay-core.ts). This class adds clock, timer and calls.
 */
export class Relay extends DurableObject<RelayBindings> {
  readonly #core = new RelayCore({
    // The same name after an eviction, or the coordinator would count the old relay beside the new one. Reports are
    // many milliseconds apart, so numbers that start at the time in milliseconds are always higher than before.
    // It is also the name of the data centre for operators.
    sender: this.ctx.id.name ?? this.ctx.id.toString(),
    firstSeq: Date.now(),
    now: () => Date.now(),
    coin: () => Math.random(),
    sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    send: (feedback, region) =>
      region === null
        ? this.env.TIDEGATE_COORDINATOR.getByName(feedback.origin).report(feedback)
        : this.env.TIDEGATE_RELAY.getByName(`${feedback.origin}@region ${region}`).report(feedback),
    warn: (error) => console.warn('The relay could not reach the coordinator:', error),
  })

  /** Only the relay of a region has relays to tell. */
  readonly #push = new PlanPush(this.ctx, this.env.TIDEGATE_RELAY)

  /** null: no report over HTTP has come since the start. */
  #replay: ReplayGuard | null = null

  /** A report over HTTP, and when it was signed. null: it may be a copy. */
  reportSigned(feedback: Feedback, signedAtMs: number): Promise<ReportAnswer> | null {
    const { kv } = this.ctx.storage
    this.#replay ??= new ReplayGuard(kv.get<number>(SIGNED_UNTIL) ?? null, (untilMs) =>
      kv.put(SIGNED_UNTIL, untilMs),
    )
    return this.#replay.takes(signedAtMs) ? this.#core.handle(feedback) : null
  }

  /** `region`: the region of the data centre. A relay of a region is not told. */
  report(feedback: Feedback, region?: string): Promise<ReportAnswer> {
    if (feedback?.isolates !== undefined) this.#push.heard(feedback.sender, Date.now())
    return this.#core.handle(feedback, region)
  }

  /** The coordinator has a plan that must not wait for the next report. */
  take(plan: Plan): void {
    this.#core.take(plan)
    this.#push.send(plan, Date.now())
  }
}
