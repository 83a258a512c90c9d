import { DurableObject } from 'cloudflare:workers'
import type { HourRecord } from '../src/coordinator/capacity/predictor.ts'
import { CoordinatorCore } from '../src/coordinator/coordinator-core.ts'
import { OperatorDesk } from '../src/coordinator/operator/desk.ts'
import type { DeskAnswer, DeskRequest } from '../src/coordinator/operator/desk-messages.ts'
import type { OperatorChange, OriginEvent } from '../src/coordinator/operator/records.ts'
import type { ReportAnswer } from '../src/protocol/coordinator-port.ts'
import type { Feedback, PoolServer, ServerDrain } from '../src/protocol/feedback.ts'
import { CapacityKeeper } from './capacity-keeper.ts'
import { LiveView } from './live-view.ts'
import { PlanPush, type PlanTaker } from './plan-push.ts'
import { SqliteStore } from './sqlite-store.ts'

interface CoordinatorBindings {
  /** Optional: a dataset of Workers Analytics Engine. */
  readonly TIDEGATE_ANALYTICS?: AnalyticsEngineDataset
  readonly TIDEGATE_COORDINATOR: DurableObjectNamespace<Claimant>
  readonly TIDEGATE_WEBHOOK_SECRET?: string
  readonly TIDEGATE_RELAY: DurableObjectNamespace<PlanTaker>
}

/** What the coordinator calls of the coordinators of other origins. */
interface Claimant extends Rpc.DurableObjectBranded {
  claim(): string
  addServer(server: PoolServer): boolean
}

/** Where capacity is planned, the time without reports is looked at this often. */
const REST_MS = 15_000
/** Relays are told of commands at most this often. */
const TELL_EVERY_MS = 250
/** An action that ends within this time is ended by an alarm, even if no report comes. */
const END_WITHIN_MS = 60_000

/**
 * The coordinator of one origin. There is one object for each origin in the world.
 *
 * - Holds, in memory: the feedback since the last tick, the last minute's figures, the learner, the newest plan.
 * - Ticks: when the reports cover the tick's time (1 s by default). An alarm ticks if some reports do not come, and
 *   comes when an action ends by itself. Without reports for 30 s there are no ticks and no alarms.
 * - Stores: one value, `state`, after each tick and each new setup. It has all that was learned
 *   (src/coordinator/state.ts). After an eviction the object continues from it. The names of the relays that report are
 *   stored when there is a new one, so that they can be told of commands. What operators need is in tables
 *   of its own, with about three rows written a minute: history, totals, events, actions (sqlite-store.ts).
 * - The decisions are in `CoordinatorCore` (src/coordinator/coordinator-core.ts), and begin in its `tick`. What
 *   operators ask is answered by `OperatorDesk` (src/coordinator/operator/desk.ts). This class adds storage, alarm,
 *   clock and calls.
 */
export class Coordinator extends DurableObject<CoordinatorBindings> {
  #core = new CoordinatorCore()
  #capacity!: CapacityKeeper
  #toldAtMs = Number.NEGATIVE_INFINITY
  readonly #push = new PlanPush(this.ctx, this.env.TIDEGATE_RELAY)
  #desk!: OperatorDesk
  readonly #live = new LiveView(this.ctx, (route) => this.#desk.status([route], Date.now())[0])

  constructor(ctx: DurableObjectState, env: CoordinatorBindings) {
    super(ctx, env)
    void ctx.blockConcurrencyWhile(async () => {
      this.#core = new CoordinatorCore(await ctx.storage.get('state'))
      if (this.#core.warning) console.warn(this.#core.warning)
      const store = new SqliteStore(ctx.storage.sql)
      this.#desk = new OperatorDesk(this.#core, store, Date.now(), {
        tell: (event) => this.#tell(event),
        count: (points) => {
          try {
            for (const point of points) env.TIDEGATE_ANALYTICS?.writeDataPoint(point)
          } catch (error) {
            console.warn('Analytics Engine takes no data points:', error)
          }
        },
      })
      this.#capacity = new CapacityKeeper(ctx, this.#core, env, (origin) =>
        env.TIDEGATE_COORDINATOR.getByName(origin).claim(),
      )
      await this.#capacity.restore()
    })
  }

  /** Takes a relay's feedback. Answers with the newest plan and the relay's share. */
  async report(feedback: Feedback): Promise<ReportAnswer> {
    const nowMs = Date.now()
    const before = this.#core.state
    this.#core.isWatched = this.#live.hasViewers
    this.#push.heard(feedback?.sender, nowMs)
    this.#desk.endActions(nowMs)
    const answer = this.#core.handle(feedback, nowMs)
    if (this.#core.state !== before) {
      this.#store()
      this.#capacity.keep(nowMs)
      this.#passOn()
    }
    this.#tellRelays(nowMs)
    if (this.#desk.follow(nowMs)) this.#live.update()
    if (feedback?.confirms) return answer
    const alarmMs = await this.ctx.storage.getAlarm()
    // After calm the alarm is still far away.
    if (alarmMs === null || alarmMs > nowMs + 2 * this.#core.alarmMs) await this.#setAlarm(nowMs)
    return answer
  }

  /** An operator says how much of a route's stock is left. 0: sold out. False: there is no plan yet. */
  setStock(route: string, left: number, done?: OperatorChange): boolean {
    const nowMs = Date.now()
    this.#core.command({ stock: { [route]: { left, atMs: nowMs } } }, nowMs)
    this.#store()
    this.#tellRelays(nowMs)
    return this.#recorded(this.#core.plan !== null, done)
  }

  /** What was done is in the audit log. Calls between objects name nobody: their cause is in it already. */
  #recorded(isDone: boolean, done: OperatorChange | undefined): boolean {
    if (isDone && done !== undefined) this.#desk.record(done, Date.now())
    return isDone
  }

  /** What the admin API asks. As JSON, because answers have no type that calls between objects could check. */
  ask(request: DeskRequest): string {
    const before = this.#core.state
    const answer: DeskAnswer = this.#desk.handle(request, Date.now())
    if (this.#core.state !== before) {
      this.#store()
      this.#tellRelays(Date.now())
      this.#live.update()
      void this.#awaitEnd(Date.now())
    }
    return JSON.stringify(answer)
  }

  /** How many servers the origin needs, as JSON; `null`: no capacity is planned, or nothing is known yet. */
  capacity(): string {
    if (this.#core.isIdle(Date.now()) && this.#core.rest(Date.now())) this.#store()
    return JSON.stringify(this.#core.capacity.answer)
  }

  /** What the origin would use of its group's servers, as JSON. */
  claim(): string {
    return JSON.stringify(this.#core.capacity.claim())
  }

  /** An autoscaler says how many servers a tier has. False: there is no such tier. */
  setTierServers(tier: string, servers: number, done?: OperatorChange): boolean {
    const { state, capacity } = this.#core
    const isDone = state !== null && capacity.setCurrent(tier, servers, state.setup)
    // The next tick obeys it, which in calm may be some seconds away.
    if (isDone) this.#core.replan(Date.now())
    this.#tellRelays(Date.now())
    return this.#recorded(isDone, done)
  }

  /** The servers of the pool instead of the configured ones; null: the configured ones again. */
  setServers(servers: readonly PoolServer[] | null, done?: OperatorChange): boolean {
    const isDone = this.#core.setServers(servers, Date.now())
    if (isDone) this.#store()
    this.#tellRelays(Date.now())
    return this.#recorded(isDone, done)
  }

  /** Takes a server out of the pool without losing a session. A text says why it cannot be done. */
  drainServer(url: string, drain: ServerDrain, done?: OperatorChange): string | null {
    const problem = this.#core.drainServer(url, drain, Date.now())
    this.#store()
    this.#tellRelays(Date.now())
    this.#recorded(problem === null, done)
    return problem
  }

  addServer(server: PoolServer): boolean {
    const isDone = this.#core.addServer(server, Date.now())
    if (isDone) this.#store()
    this.#tellRelays(Date.now())
    return isDone
  }

  /** A server that has left this pool may belong to another origin now. */
  #passOn(): void {
    for (const { url, weight, drain } of this.#core.takeDrained())
      if (drain?.moveTo !== undefined)
        void this.env.TIDEGATE_COORDINATOR.getByName(drain.moveTo).addServer({ url, weight })
  }

  /** The servers that are in force, as JSON. */
  servers(): string {
    const { state } = this.#core
    return JSON.stringify(state?.pool ?? state?.setup.servers ?? null)
  }

  /** The history of an access log. */
  importHours(records: readonly HourRecord[], done?: OperatorChange): void {
    this.#capacity.importHours(records)
    this.#recorded(true, done)
  }

  /** Opens a WebSocket on which the status of a route comes once a tick: `?route=NAME`. */
  override fetch(request: Request): Response {
    return this.#live.open(request)
  }

  override webSocketMessage(): void {
    // Clients have nothing to say. The runtime itself answers their pings.
  }

  override async alarm(): Promise<void> {
    const nowMs = Date.now()
    const isIdle = this.#core.isIdle(nowMs)
    const before = this.#core.state
    this.#desk.endActions(nowMs)
    const isChanged = isIdle ? this.#core.rest(nowMs) : this.#core.tick(nowMs)
    if (isChanged || this.#core.state !== before) this.#store()
    this.#tellRelays(nowMs)
    this.#capacity.keep(nowMs)
    this.#passOn()
    if (this.#desk.follow(nowMs)) this.#live.update()
    if (isIdle) this.#desk.flush()
    if (!isIdle) await this.#setAlarm(nowMs)
    else if (this.#capacity.mustWake) await this.ctx.storage.setAlarm(nowMs + REST_MS)
    await this.#awaitEnd(nowMs)
  }

  /** An action that ends by itself is not in force after its time, wherever a relay goes by what it was told. */
  async #awaitEnd(nowMs: number): Promise<void> {
    const endMs = this.#desk.actionEndsMs
    if (!(endMs - nowMs < END_WITHIN_MS) || !this.#push.hasRelays(nowMs)) return
    const alarmMs = await this.ctx.storage.getAlarm()
    if (alarmMs === null || alarmMs > endMs) await this.ctx.storage.setAlarm(endMs)
  }

  /** What the origin commands must not wait for the relays' next reports. Many commands within a moment go together. */
  #tellRelays(nowMs: number): void {
    if (!this.#core.takeNews()) return
    const atMs = Math.max(nowMs, this.#toldAtMs + TELL_EVERY_MS)
    if (this.#toldAtMs > nowMs) return
    this.#toldAtMs = atMs
    if (atMs === nowMs) this.#sendPlan()
    else setTimeout(() => this.#sendPlan(), atMs - nowMs)
  }

  #sendPlan(): void {
    const { plan } = this.#core
    if (plan !== null) this.#push.send(plan, Date.now())
  }

  /** Not awaited: the runtime holds the answer back until the write is done, and the next tick need not wait. */
  #store(): void {
    void this.ctx.storage.put('state', this.#core.state)
  }

  /** One line per event in the log of the Worker, as JSON. */
  #tell(event: OriginEvent): void {
    console.log(JSON.stringify({ tidegate: 'event', ...event }))
    this.#live.tell(event)
  }

  #setAlarm(nowMs: number): Promise<void> {
    const endMs = Math.max(nowMs, this.#desk.actionEndsMs)
    return this.ctx.storage.setAlarm(Math.min(nowMs + this.#core.alarmMs, endMs))
  }
}
