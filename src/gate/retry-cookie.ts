import type { Signer } from '../lib/signer.ts'
import { TwoGenerationCache } from '../lib/two-generation-cache.ts'
import { readCookie } from '../request/cookie-header.ts'

const LONGEST_VALUE = 80

/**
 * The signed cookie of a refused client, with the earliest time of its next draw. Earlier retries are refused without a
 * draw and do not count as offered, so frequent retries gain nothing.
 */
export class RetryCookies {
  readonly #signer: Signer
  readonly #purpose: string
  readonly #name: string
  readonly #verified = new TwoGenerationCache<string, number>(1024)
  /** The cookie contains only a second, so all refusals with the same second share one signature. */
  readonly #values = new TwoGenerationCache<number, string>(256)

  constructor(route: string, sessionCookie: string, signer: Signer) {
    this.#signer = signer
    this.#purpose = `retry ${route}`
    this.#name = `${sessionCookie}-wait`
  }

  /** Seconds until the next draw; 0: now. */
  waitS(header: string | null, nowMs: number): number {
    const value = readCookie(header, this.#name)
    if (value === null) return 0
    return Math.max(0, Math.ceil(this.#verify(value) - nowMs / 1000))
  }

  /** `Set-Cookie` for a refusal. */
  write(retryAfterS: number, nowMs: number, secure: boolean): string {
    const value = this.#valueFor(Math.floor(nowMs / 1000) + retryAfterS)
    return `${this.#name}=${value}; Path=/; Max-Age=${retryAfterS}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`
  }

  #valueFor(atS: number): string {
    let value = this.#values.get(atS)
    if (value === undefined) {
      const text = atS.toString(36)
      value = `${text}.${this.#signer.sign(this.#purpose, text)}`
      this.#values.set(atS, value)
    }
    return value
  }

  /** The second of the next draw; 0: the signature is not valid. */
  #verify(value: string): number {
    const known = this.#verified.get(value)
    if (known !== undefined) return known
    const dot = value.indexOf('.')
    if (dot < 1 || value.length > LONGEST_VALUE) return 0
    const text = value.substring(0, dot)
    if (!this.#signer.verify(this.#purpose, text, value.substring(dot + 1))) return 0
    const atS = Number.parseInt(text, 36)
    this.#verified.set(value, atS)
    return atS
  }
}
