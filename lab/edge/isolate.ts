import type { Ticket } from '../../src/admission/queue/ticket.ts'
import type { Waiting } from '../../src/admission/queue/waiting.ts'
import type { Candidate, RouteAdmission } from '../../src/admission/route-admission.ts'
import type { Route } from '../../src/config/config.ts'
import { OriginState } from '../../src/gate/origin-state.ts'
import type { PlanCache } from '../../src/gate/plan-cache.ts'
import { Reporter } from '../../src/gate/reporter.ts'
import type { Outcome } from '../../src/measure/counters.ts'
import type { InFlightRequest } from '../../src/measure/in-flight-request.ts'
import type { ReportAnswer } from '../../src/protocol/coordinator-port.ts'
import type { Verdict } from '../../src/protocol/verdict.ts'
import type { Random } from '../engine/random.ts'
import type { Way } from './network.ts'
import type { Relay } from './relay.ts'
import type { Timers } from './timers.ts'

export interface IsolateParts {
  readonly relay: Pick<Relay, 'report'>
  readonly cache: PlanCache
  readonly way: Way
  readonly timers: Timers
  readonly random: Random
  /** Every answer counts as one page. @default false */
  readonly countsAlike?: boolean
}

/** A request as the lab knows it. */
export interface LabRequest {
  readonly classIndex: number
  /** Age of the session that it belongs to; null: it belongs to none. */
  readonly sessionAgeMs: number | null
  readonly isEarly?: boolean
  /** The visitor's number stands for an address of its own. */
  readonly visitor: number
  readonly ticket?: Ticket | null
}

/** In the lab nothing stops the work of an isolate. */
const BACKGROUND = { waitUntil() {} }

/** One isolate: the product's own admission, counters and reporter, without HTTP. */
export class Isolate {
  readonly #route: Route
  readonly #state: OriginState
  readonly #admission: RouteAdmission
  readonly #reporter: Reporter
  readonly #timers: Timers
  readonly #countsAlike: boolean

  constructor(name: string, route: Route, parts: IsolateParts) {
    const { relay, cache, way, timers, random } = parts
    const runtime = {
      now: () => timers.nowMs,
      coin: () => random.next(),
      id: () => random.next().toString(36).slice(2),
      sleep: (ms: number) => timers.sleep(ms),
    }
    const port = {
      report: (feedback: Parameters<Relay['report']>[0]) =>
        new Promise<ReportAnswer>((resolve, reject) => {
          way.carry(() =>
            relay.report(feedback).then(
              (answer) => way.carry(() => resolve(answer)),
              (error) => way.carry(() => reject(error)),
            ),
          )
        }),
    }
    this.#route = route
    this.#countsAlike = parts.countsAlike ?? false
    this.#timers = timers
    this.#state = new OriginState([route], runtime)
    this.#admission = this.#state.admissionOf(route.name)
    this.#reporter = new Reporter([route], this.#state, {
      sender: name,
      port,
      cache,
      runtime,
    })
  }

  /** A new session or a request asks. With batches the answer may take a moment. */
  admits(request: LabRequest, nowMs: number): boolean | Promise<boolean> {
    this.#reporter.touch(BACKGROUND, nowMs)
    if (!this.#reporter.isPlanOld(nowMs)) return this.#asks(request, nowMs)
    const renewed = this.#reporter.renew(BACKGROUND, true)
    if (request.sessionAgeMs !== null) return this.#asks(request, nowMs)
    return this.#timers.flushed(renewed.then(() => this.#asks(request, this.#timers.nowMs)))
  }

  #asks(request: LabRequest, nowMs: number): boolean | Promise<boolean> {
    const candidate = this.#candidate(request)
    if (!this.#admission.wantsAnswer(candidate, nowMs)) return this.#decides(candidate, nowMs)
    return this.#timers.flushed(
      this.#reporter
        .ask(true, this.#admission.keyOf(candidate))
        .then(() => this.#decides(this.#candidate(request), this.#timers.nowMs)),
    )
  }

  #decides(candidate: Candidate, nowMs: number): boolean | Promise<boolean> {
    const isIn = (verdict: Verdict): boolean => !this.#admission.keepsOut(verdict)
    const decided = this.#admission.decide(candidate, nowMs)
    return decided instanceof Promise ? decided.then(isIn) : isIn(decided)
  }

  /** A visitor of a route with a waiting room asks, with or without a ticket. Returns what it is told; null: it is in. */
  visits(request: LabRequest, nowMs: number): Waiting | null | Promise<Waiting | null> {
    this.#reporter.touch(BACKGROUND, nowMs)
    const candidate = this.#candidate(request)
    if (!this.#admission.wantsAnswer(candidate, nowMs)) return this.#tells(candidate, nowMs)
    return this.#timers.flushed(
      this.#reporter
        .ask(true, this.#admission.keyOf(candidate))
        .then(() => this.#tells(this.#candidate(request), this.#timers.nowMs)),
    )
  }

  #tells(candidate: Candidate, nowMs: number): Waiting | null {
    const verdict = this.#admission.decide(candidate, nowMs)
    if (verdict instanceof Promise) throw new Error('Batches and waiting rooms do not go together')
    if (!this.#admission.keepsOut(verdict)) return null
    return this.#admission.wait(candidate, verdict, nowMs)
  }

  /** A request goes to the origin. */
  begins(request: LabRequest, nowMs: number): InFlightRequest {
    this.#reporter.touch(BACKGROUND, nowMs)
    return this.#admission.begin(this.#candidate(request), nowMs)
  }

  settles(
    request: InFlightRequest,
    classIndex: number,
    outcome: Outcome,
    nowMs: number,
    path = this.pathOf(classIndex),
  ): void {
    if (outcome === 'served') {
      request.headersReceived(nowMs, true)
      this.#state.costs?.observe(this.#route.name, path, request, null)
      if (!this.#countsAlike) request.counts(this.#costOf(request, classIndex, path, nowMs))
    }
    request.settleUnlessSettled(outcome, nowMs)
    this.#reporter.ended(BACKGROUND, this.#route, classIndex)
  }

  #costOf(request: InFlightRequest, classIndex: number, path: string, nowMs: number): number {
    const { name, classes } = this.#route
    const responseMs = nowMs - request.openedAtMs
    const answer = { key: path, method: 'GET', status: 200, responseMs, sessionAgeMs: null }
    return this.#state.costOf(name, classes[classIndex]!, answer)
  }

  #candidate(request: LabRequest): Candidate {
    const { classIndex, sessionAgeMs, isEarly = false, visitor, ticket = null } = request
    const { costs } = this.#state
    return {
      ...{ classIndex, sessionAgeMs, isEarly, ticket },
      client: this.#route.fairness !== null && this.#admission.isContested ? visitor : null,
      serviceMs: costs?.estimateMs(this.#route.name, this.pathOf(classIndex)) ?? 0,
    }
  }

  /** Where a run says nothing else, the requests of a class and tier all have one path. */
  pathOf(classIndex: number): string {
    return `/${this.#route.classes[classIndex]!.name}`
  }
}
