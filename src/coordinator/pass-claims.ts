import type { ClaimAnswer, PassClaim } from '../protocol/pass-port.ts'

/** A row of the store. */
export interface Held {
  readonly holder: string
  readonly untilMs: number
  /** When the place began. */
  readonly sinceMs: number
  /** When it was claimed last. */
  readonly seenMs: number
}

/** Who holds what: a pass for one use, or a key. */
export interface ClaimStore {
  /** null: nobody holds it, or what was held has expired. */
  find(name: string, nowMs: number): Held | null
  put(name: string, held: Held): void
}

/**
 * Decides on a claim. A pass for one use belongs to the first visitor who presents it. A key goes to the last one, so that
 * a visitor can go on with another device, and the one before loses its place.
 */
export function decideClaim(store: ClaimStore, claim: PassClaim, nowMs: number): ClaimAnswer {
  const { id, key, once, holder, untilMs, keepMs } = claim
  const useName = `use ${id}`
  if (once) {
    const user = store.find(useName, nowMs)
    if (user !== null && user.holder !== holder) return { isGranted: false, displaced: null }
    store.put(useName, { holder, untilMs, sinceMs: nowMs, seenMs: nowMs })
  }
  if (key === null) return { isGranted: true, displaced: null }
  const keyName = `key ${key}`
  const before = store.find(keyName, nowMs)
  const isKept = before !== null && nowMs - before.seenMs <= keepMs
  const sinceMs = isKept ? before.sinceMs : nowMs
  store.put(keyName, { holder, untilMs, sinceMs, seenMs: nowMs })
  const isOther = before !== null && before.holder !== holder
  return { isGranted: true, displaced: isOther ? before.holder : null, sinceMs }
}

/** In the memory of one process. */
export class MemoryClaims implements ClaimStore {
  readonly #held = new Map<string, Held>()

  find(name: string, nowMs: number): Held | null {
    const held = this.#held.get(name)
    return held !== undefined && held.untilMs > nowMs ? held : null
  }

  put(name: string, held: Held): void {
    this.#held.set(name, held)
  }
}
