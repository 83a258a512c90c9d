import type { Signer } from '../lib/signer.ts'
import { TwoGenerationCache } from '../lib/two-generation-cache.ts'
import { readCookie } from '../request/cookie-header.ts'

/**
 * The signed note to the refused: the earliest time of the next draw. Whoever comes back sooner is refused
 * without a draw and does not count as offered, so that hammering gains nothing.
 */
export class RetryCookies {
  readonly #signer: Signer
  readonly #purpose: string
  readonly #cookie: string
  readonly #verified = new TwoGenerationCache<string, number>(1024)
  /** Refusals of one second share a handful of notes: signed once each. */
  readonly #written = new TwoGenerationCache<number, string>(256)

  constructor(route: string, sessionCookie: string, signer: Signer) {
    this.#signer = signer
    this.#purpose = `note ${route}`
    this.#cookie = `${sessionCookie}-wait`
  }

  /** Seconds until the next draw; 0: it may draw now. */
  waitS(header: string | null, nowMs: number): number {
    const value = readCookie(header, this.#cookie)
    if (value === null) return 0
    return Math.max(0, Math.ceil(this.#verify(value) - nowMs / 1000))
  }

  write(retryAfterS: number, nowMs: number, secure: boolean): string {
    const atS = Math.floor(nowMs / 1000) + retryAfterS
    // A number: a text would be made, and looked up in the runtime's table of all texts, for each refusal.
    const key = secure ? -atS : atS
    let note = this.#written.get(key)
    if (note === undefined) {
      const text = atS.toString(36)
      note = `${this.#cookie}=${text}.${this.#signer.sign(this.#purpose, text)}; Path=/; Max-Age=${retryAfterS}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`
      this.#written.set(key, note)
    }
    return note
  }

  /** The second of the next draw; 0 for what we did not sign. */
  #verify(value: string): number {
    const known = this.#verified.get(value)
    if (known !== undefined) return known
    const dot = value.indexOf('.')
    if (dot < 1 || value.length > 80) return 0
    const text = value.substring(0, dot)
    if (!this.#signer.verify(this.#purpose, text, value.substring(dot + 1))) return 0
    const atS = Number.parseInt(text, 36)
    this.#verified.set(value, atS)
    return atS
  }
}
