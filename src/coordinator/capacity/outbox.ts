/** The webhook that is still to be delivered. A newer decision replaces it, because it holds absolute numbers. */
export interface Delivery {
  readonly id: string
  readonly body: string
  /** Afterwards the decision is out of date, and nothing is sent. */
  readonly validUntilMs: number
  readonly tries: number
  readonly nextAtMs: number
}

export interface Outbox {
  readonly pending: Delivery | null
  /** The last sequence that was put into the outbox. */
  readonly sequence: number
  /** The receiver answered 410 Gone to this address: nothing more is sent to it. */
  readonly goneUrl: string | null
}

export const EMPTY_OUTBOX: Outbox = { pending: null, sequence: 0, goneUrl: null }

const FIRST_RETRY_MS = 2000
const LONGEST_RETRY_MS = 60_000

export function withDelivery(
  outbox: Outbox,
  sequence: number,
  delivery: Pick<Delivery, 'id' | 'body' | 'validUntilMs'>,
  nowMs: number,
): Outbox {
  return { ...outbox, sequence, pending: { ...delivery, tries: 0, nextAtMs: nowMs } }
}

/** What to send now; null: nothing. */
export function dueDelivery(
  { pending, goneUrl }: Outbox,
  url: string,
  nowMs: number,
): Delivery | null {
  if (pending === null || goneUrl === url) return null
  return pending.nextAtMs <= nowMs && nowMs < pending.validUntilMs ? pending : null
}

/** Answer of the receiver; status null: none came. */
export interface DeliveryResult {
  readonly status: number | null
  readonly retryAfterS: number | null
}

/** `coin` is a random number from 0 to 1 and spreads the retries. */
export function afterDelivery(
  outbox: Outbox,
  { id }: Pick<Delivery, 'id'>,
  { status, retryAfterS }: DeliveryResult,
  at: { readonly nowMs: number; readonly coin: number; readonly url: string },
): Outbox {
  const { pending } = outbox
  if (status === 410) return { ...outbox, pending: null, goneUrl: at.url }
  // A newer decision has taken its place meanwhile.
  if (pending === null || pending.id !== id) return outbox
  if (status !== null && status >= 200 && status < 300) return { ...outbox, pending: null }
  const tries = pending.tries + 1
  const backOffMs = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** (tries - 1))
  const waitMs = Math.max((retryAfterS ?? 0) * 1000, backOffMs * (0.5 + at.coin))
  const nextAtMs = at.nowMs + waitMs
  return {
    ...outbox,
    pending: nextAtMs < pending.validUntilMs ? { ...pending, tries, nextAtMs } : null,
  }
}
