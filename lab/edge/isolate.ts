import type { Route } from '../../src/config/config.ts'
import { Link } from '../../src/gate/link.ts'
import type { RequestRecord } from '../../src/measure/request-record.ts'
import type { ReportAnswer } from '../../src/protocol/coordinator-port.ts'
import { ADMIT } from '../../src/protocol/verdict.ts'
import type { Random } from '../engine/random.ts'
import type { Way } from './network.ts'
import type { Relay } from './relay.ts'
import type { Timers } from './timers.ts'

export interface IsolateParts {
  readonly relay: Relay
  readonly way: Way
  readonly timers: Timers
  readonly random: Random
}

/** Who waits for work in the background: the link goes on by itself. */
const BACKGROUND = { waitUntil() {} }

/**
 * One isolate: the product's link, admission and tallies. What `RouteGate.judge` does with cookies and
 * headers is done here with what the lab knows of the visitor.
 */
export class Isolate {
  readonly #route: Route
  readonly #link: Link

  constructor(name: string, route: Route, { relay, way, timers, random }: IsolateParts) {
    this.#route = route
    this.#link = new Link([route], {
      sender: name,
      cache: null,
      runtime: {
        now: () => timers.nowMs,
        coin: () => random.next(),
        sleep: (ms) => timers.sleep(ms),
      },
      port: {
        report: (feedback) =>
          new Promise<ReportAnswer>((resolve) => {
            way.carry(() => relay.report(feedback, (answer) => way.carry(() => resolve(answer))))
          }),
      },
    })
  }

  /** A new session or a request asks. */
  draws(classIndex: number, nowMs: number): boolean {
    this.#link.touch(BACKGROUND, nowMs)
    const tally = this.#tally(classIndex)
    tally.offered++
    const verdict = this.#link.admission.draw(this.#route, classIndex, nowMs)
    if (verdict.kind === 'refuse') return false
    tally.admitted++
    if (verdict === ADMIT.guaranteed) tally.guaranteed++
    return true
  }

  cameEarly(classIndex: number, nowMs: number): void {
    this.#link.touch(BACKGROUND, nowMs)
    this.#tally(classIndex).early++
  }

  /** A request goes to the origin; its session's age is −1 where it has none. */
  opens(classIndex: number, ageMs: number, nowMs: number): RequestRecord {
    this.#link.touch(BACKGROUND, nowMs)
    if (ageMs >= 0) this.#link.tallies.get(this.#route.name)!.sessionRequest(ageMs)
    const ticket = this.#tally(classIndex).open(nowMs)
    this.#link.open.addLasting(ticket)
    return ticket
  }

  settles(ticket: RequestRecord, outcome: 'served' | 'failed' | 'abandoned', nowMs: number): void {
    if (outcome === 'served') ticket.headers(nowMs, true)
    ticket.settleUnlessSettled(outcome)
    this.#link.open.deleteLasting(ticket)
  }

  #tally(classIndex: number) {
    return this.#link.tallies.get(this.#route.name)!.classes[classIndex]!
  }
}
