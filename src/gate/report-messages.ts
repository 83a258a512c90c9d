import type { Runtime } from '../lib/runtime.ts'
import { FEEDBACK_VERSION, type Feedback, type Setup } from '../protocol/feedback.ts'
import type { Plan } from '../protocol/plan.ts'

/** A report that takes longer has failed. */
export const REPORT_TIMEOUT_MS = 2500

/** What is counted, and what else a report carries. */
type Counted = Pick<Feedback, 'routes' | 'servers' | 'commands' | 'tiers'>

interface ReportKind {
  /** A visitor waits for the answer. */
  readonly asks: boolean
  /** A draw needs an admission. */
  readonly wants: boolean
  /** The key of its class. */
  readonly wantsFor?: string | undefined
  /** The plan by which draws were decided; null: none. */
  readonly plan: Plan | null
}

/** The reports and questions of one isolate to one origin's coordinator: their numbers, and what an unanswered one had. */
export class ReportMessages {
  readonly #origin: string
  readonly #sender: string
  readonly #setup: Setup
  /** The last report, if it is not answered. */
  #lost: Omit<Feedback, 'again'> | null = null
  /** The setup that the coordinator had at its last answer. */
  #knownSetup: Plan['setup'] | null = null
  #seq = 0
  #fromMs: number

  constructor(origin: string, sender: string, setup: Setup, runtime: Runtime) {
    this.#origin = origin
    this.#sender = sender
    this.#setup = setup
    this.#fromMs = runtime.now()
  }

  /** Has nothing been reported yet? */
  get isNew(): boolean {
    return this.#seq === 0
  }

  report(nowMs: number, { asks, wants, wantsFor, plan }: ReportKind, counted: Counted): Feedback {
    const fromMs = Math.min(this.#fromMs, nowMs)
    this.#fromMs = nowMs
    const { id, sinceMs } = this.#setup
    const isKnown = this.#knownSetup?.id === id || (this.#knownSetup?.sinceMs ?? -1) >= sinceMs
    const report = {
      ...this.#head,
      ...{ seq: this.#seq++, fromMs, toMs: nowMs },
      ...(plan === null ? {} : { planIssuedAtMs: plan.issuedAtMs }),
      ...(asks ? { asks } : {}),
      ...(wants ? { wants } : {}),
      ...(wantsFor === undefined ? {} : { wantsFor }),
      ...(isKnown ? {} : { setup: this.#setup }),
    }
    const again = this.#lost
    this.#lost = { ...report, ...counted }
    return { ...report, ...(again === null ? {} : { again }), ...counted }
  }

  /** Asks for the newest plan. A relay that does not know such questions takes it for a repeated report, and answers. */
  question(nowMs: number): Feedback {
    return {
      ...this.#head,
      ...{ seq: Math.max(0, this.#seq - 1), fromMs: nowMs, toMs: nowMs },
      ...{ confirms: true, routes: {} },
    }
  }

  get #head(): Pick<Feedback, 'version' | 'origin' | 'sender'> {
    return { version: FEEDBACK_VERSION, origin: this.#origin, sender: this.#sender }
  }

  answered({ seq }: Feedback): void {
    if (this.#lost?.seq === seq) this.#lost = null
  }

  /** The setup of the newest answer; null: the coordinator has none. */
  knows(setup: Plan['setup'] | null): void {
    this.#knownSetup = setup
  }
}

export function withTimeout<Value>(work: Promise<Value>, { sleep }: Runtime): Promise<Value> {
  const late = sleep(REPORT_TIMEOUT_MS).then(() => {
    throw new Error(`The coordinator did not answer within ${REPORT_TIMEOUT_MS} ms`)
  })
  late.catch(() => {})
  return Promise.race([work, late])
}
