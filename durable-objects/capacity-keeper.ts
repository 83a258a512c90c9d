import type { Claim } from '../src/coordinator/capacity/arbitrate.ts'
import {
  afterDelivery,
  type Delivery,
  type DeliveryResult,
  dueDelivery,
  EMPTY_OUTBOX,
  type Outbox,
  withDelivery,
} from '../src/coordinator/capacity/outbox.ts'
import type { HourRecord } from '../src/coordinator/capacity/predictor.ts'
import { signWebhook, webhookBody, webhookId } from '../src/coordinator/capacity/webhook.ts'
import type { CoordinatorCore } from '../src/coordinator/coordinator-core.ts'

/** How the keeper reaches the coordinators of other origins. */
export type ClaimOf = (origin: string) => Promise<string>

const CLAIMS_EVERY_MS = 10_000
const WEBHOOK_TIMEOUT_MS = 15_000
const HOUR_MS = 3_600_000

/**
 * Storage and calls of capacity planning, for the coordinator's object.
 *
 * - Stores: a row for each hour of history in the table `capacity_hours`, and the value `outbox`.
 * - Sends: webhooks, until the receiver has taken them or they are out of date.
 * - Asks: the other origins of the group for their claims, every 10 s.
 */
export class CapacityKeeper {
  readonly #ctx: DurableObjectState
  readonly #core: CoordinatorCore
  readonly #secret: string | null
  readonly #claimOf: ClaimOf
  #outbox: Outbox = EMPTY_OUTBOX
  #isSending = false
  #hasWarned = false
  #claimsAtMs = 0
  #forgotAtMs = 0

  constructor(
    ctx: DurableObjectState,
    core: CoordinatorCore,
    env: { readonly TIDEGATE_WEBHOOK_SECRET?: string },
    claimOf: ClaimOf,
  ) {
    this.#ctx = ctx
    this.#core = core
    this.#secret = env.TIDEGATE_WEBHOOK_SECRET ?? null
    this.#claimOf = claimOf
  }

  async restore(): Promise<void> {
    const { sql } = this.#ctx.storage
    sql.exec(
      'CREATE TABLE IF NOT EXISTS capacity_hours (hour INTEGER PRIMARY KEY, rates TEXT NOT NULL)',
    )
    const rows = sql.exec<{ hour: number; rates: string }>('SELECT hour, rates FROM capacity_hours')
    const records = [...rows].map(({ hour, rates }) => ({
      hour,
      rates: JSON.parse(rates) as number[],
    }))
    this.#core.capacity.restoreHistory(records)
    this.#outbox = (await this.#ctx.storage.get<Outbox>('outbox')) ?? EMPTY_OUTBOX
  }

  /** After a tick, and in a time without reports. */
  keep(nowMs: number): void {
    const { capacity } = this.#core
    if (capacity.state === null) return
    this.#storeHours(capacity.takeRecords())
    if (nowMs - this.#forgotAtMs > HOUR_MS) {
      this.#forgotAtMs = nowMs
      const first = capacity.forget(nowMs)
      this.#ctx.storage.sql.exec('DELETE FROM capacity_hours WHERE hour < ?', first)
    }
    this.#askOthers(nowMs)
    this.#fillOutbox(nowMs)
    this.#send(nowMs)
  }

  /** From an access log. */
  importHours(records: readonly HourRecord[]): void {
    this.#storeHours(records)
    this.#core.capacity.restoreHistory(records)
  }

  /** Must an alarm come although no reports do? */
  get mustWake(): boolean {
    return this.#outbox.pending !== null || this.#core.capacity.mayShrink
  }

  #storeHours(records: readonly HourRecord[]): void {
    for (const { hour, rates } of records)
      this.#ctx.storage.sql.exec(
        'INSERT OR REPLACE INTO capacity_hours (hour, rates) VALUES (?, ?)',
        hour,
        JSON.stringify(rates),
      )
  }

  #askOthers(nowMs: number): void {
    const setup = this.#core.state?.setup
    const group = setup?.capacity?.group
    if (!setup || !group || nowMs - this.#claimsAtMs < CLAIMS_EVERY_MS) return
    this.#claimsAtMs = nowMs
    const others = group.origins.filter((origin) => origin !== setup.origin)
    const ask = async (): Promise<void> => {
      const answers = await Promise.all(others.map(this.#claimOf))
      const claims = answers.map((json) => JSON.parse(json) as Claim | null)
      this.#core.capacity.setOthers(claims.filter((claim) => claim !== null))
    }
    this.#ctx.waitUntil(ask().catch((error) => console.warn('Capacity: no claims:', error)))
  }

  #fillOutbox(nowMs: number): void {
    const { capacity, state } = this.#core
    const { answer } = capacity
    if (!answer || answer.sequence === this.#outbox.sequence) return
    if (!state?.setup.capacity?.webhook) return
    const body = webhookBody(
      answer,
      state.setup.routes.map(({ name }) => name),
    )
    const delivery = { id: webhookId(answer), body, validUntilMs: answer.validUntilMs }
    this.#setOutbox(withDelivery(this.#outbox, answer.sequence, delivery, nowMs))
  }

  #send(nowMs: number): void {
    const url = this.#core.state?.setup.capacity?.webhook
    if (!url || this.#isSending) return
    if (this.#secret === null) {
      if (!this.#hasWarned)
        console.warn('capacity.webhook needs the secret TIDEGATE_WEBHOOK_SECRET')
      this.#hasWarned = true
      return
    }
    const due = dueDelivery(this.#outbox, url, nowMs)
    if (due === null) return
    this.#isSending = true
    this.#ctx.waitUntil(this.#deliver(due, url, this.#secret))
  }

  async #deliver(due: Delivery, url: string, secret: string): Promise<void> {
    let result: DeliveryResult = { status: null, retryAfterS: null }
    try {
      const signed = signWebhook(secret, due.id, due.body, Date.now())
      const signal = AbortSignal.timeout(WEBHOOK_TIMEOUT_MS)
      const response = await fetch(url, { method: 'POST', redirect: 'manual', signal, ...signed })
      await response.body?.cancel()
      const retryAfterS = Number.parseInt(response.headers.get('Retry-After') ?? '', 10)
      result = { status: response.status, retryAfterS: retryAfterS >= 0 ? retryAfterS : null }
    } catch (error) {
      console.warn('The capacity webhook was not delivered:', error)
    }
    this.#isSending = false
    const at = { nowMs: Date.now(), coin: Math.random(), url }
    this.#setOutbox(afterDelivery(this.#outbox, due, result, at))
  }

  #setOutbox(outbox: Outbox): void {
    this.#outbox = outbox
    void this.#ctx.storage.put('outbox', outbox)
  }
}
