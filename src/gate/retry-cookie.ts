import type { Signer } from '../lib/signer.ts'
import { TwoGenerationCache } from '../lib/two-generation-cache.ts'
import { type CookieRoute, SignedCookie } from './signed-cookie.ts'

/**
 * The signed cookie of a refused client, with the earliest time of its next draw. Earlier retries are refused without a
 * draw and do not count as offered, so frequent retries gain nothing.
 */
export class RetryCookies {
  /** The value is the second of the next draw. */
  readonly #cookie: SignedCookie<number>
  /** The cookie contains only a second, so all refusals with the same second share one signature. */
  readonly #values = new TwoGenerationCache<number, string>(256)

  constructor({ name, session }: Pick<CookieRoute, 'name' | 'session'>, signer: Signer) {
    this.#cookie = new SignedCookie(
      {
        name: `${session.cookie}-wait`,
        purpose: `retry ${name}`,
        sameSite: session.sameSite,
        longestValue: 80,
        mostRemembered: 1024,
        parse: (text) => (SECOND.test(text) ? Number.parseInt(text, 36) : null),
      },
      signer,
    )
  }

  /** Seconds until the next draw; 0: now. */
  waitS(header: string | null, nowMs: number, secure: boolean): number {
    const nowS = nowMs / 1000
    const atS = this.#cookie.read(header, secure, (atS) => atS > nowS)
    return atS === null ? 0 : Math.ceil(atS - nowS)
  }

  /** `Set-Cookie` for a refusal. */
  write(retryAfterS: number, nowMs: number, secure: boolean): string {
    const value = this.#valueFor(Math.floor(nowMs / 1000) + retryAfterS)
    return this.#cookie.write(value, retryAfterS, secure)
  }

  #valueFor(atS: number): string {
    let value = this.#values.get(atS)
    if (value === undefined) {
      value = this.#cookie.sign(atS.toString(36))
      this.#values.set(atS, value)
    }
    return value
  }
}

const SECOND = /^[0-9a-z]{1,10}$/
