import type { Route } from '../config/config.ts'
import { SIGNATURE_CHARACTERS, type Signer } from '../lib/signer.ts'
import { TwoGenerationCache } from '../lib/two-generation-cache.ts'
import { cookieBefore, signedValueAt } from '../request/cookie-header.ts'

/** What a signed cookie needs of its route. */
export type CookieRoute = Pick<Route, 'name' | 'session' | 'mode'>

interface SignedCookieOptions<Value> {
  readonly name: string
  /** A signature for one purpose is not valid for another. */
  readonly purpose: string
  readonly sameSite: CookieRoute['session']['sameSite']
  readonly longestValue: number
  readonly mostRemembered: number
  /** null: the text has another form. */
  readonly parse: (text: string) => Value | null
}

/** A browser with this prefix takes the cookie only from the host itself, over https (RFC 6265bis, §4.1.3.2). */
const HOST_PREFIX = '__Host-'
/** Signatures that are verified for one request. More cookies of the same name are ignored, unless they are known. */
const MOST_VERIFIED = 32

const SAME_SITE = { lax: 'Lax', strict: 'Strict', none: 'None' } as const

/** A cookie with a signed text. Values that were verified once are remembered. */
export class SignedCookie<Value> {
  readonly #options: SignedCookieOptions<Value>
  readonly #signer: Signer
  readonly #secureName: string
  readonly #verified: TwoGenerationCache<string, Value>

  constructor(options: SignedCookieOptions<Value>, signer: Signer) {
    this.#options = options
    this.#signer = signer
    this.#secureName = hasPrefix(options.name) ? options.name : `${HOST_PREFIX}${options.name}`
    this.#verified = new TwoGenerationCache(options.mostRemembered)
  }

  /**
   * The value of the last valid cookie for which `isCurrent` holds. Another site can add cookies of the same name on
   * http. They may be in any place, so they must not hide the valid one.
   */
  read(header: string | null, secure: boolean, isCurrent: (value: Value) => boolean): Value | null {
    if (header === null) return null
    const name = secure ? this.#secureName : this.#options.name
    let verified = 0
    for (
      let at = cookieBefore(header, name, header.length);
      at >= 0;
      at = cookieBefore(header, name, at)
    ) {
      const given = signedValueAt(header, at + name.length + 1)
      const known = this.#verified.get(given)
      if (known !== undefined) {
        if (isCurrent(known)) return known
        continue
      }
      const value = verified < MOST_VERIFIED ? this.#parse(given) : null
      if (value === null || !isCurrent(value)) continue
      verified++
      if (!this.#isSigned(given)) continue
      this.#verified.set(copyOf(given), value)
      return value
    }
    return null
  }

  /** The value that is signed in this text, for clients that send it in a header. */
  verify(given: string, isCurrent: (value: Value) => boolean): Value | null {
    const value = this.#parse(given)
    return value !== null && isCurrent(value) && this.#isSigned(given) ? value : null
  }

  sign(text: string): string {
    return `${text}.${this.#signer.sign(this.#options.purpose, text)}`
  }

  /** The `Set-Cookie` header. */
  write(signed: string, maxAgeS: number, secure: boolean): string {
    const name = secure ? this.#secureName : this.#options.name
    // Browsers drop a cookie with `SameSite=None` that is not secure.
    const sameSite =
      SAME_SITE[secure || this.#options.sameSite !== 'none' ? this.#options.sameSite : 'lax']
    return `${name}=${signed}; Path=/; Max-Age=${maxAgeS}; HttpOnly; SameSite=${sameSite}${secure ? '; Secure' : ''}`
  }

  /** Checks the form only. It costs much less than a signature. */
  #parse(given: string): Value | null {
    const dot = given.length - SIGNATURE_CHARACTERS - 1
    if (given.length > this.#options.longestValue || given.charAt(dot) !== '.') return null
    return this.#options.parse(copyOf(given.substring(0, dot)))
  }

  #isSigned(given: string): boolean {
    const dot = given.length - SIGNATURE_CHARACTERS - 1
    const text = given.substring(0, dot)
    return this.#signer.verify(this.#options.purpose, text, given.substring(dot + 1))
  }
}

function hasPrefix(name: string): boolean {
  return name.startsWith(HOST_PREFIX) || name.startsWith('__Secure-')
}

/** A copy of its own: in V8 a substring keeps the whole text alive, here a `Cookie` header. */
function copyOf(part: string): string {
  return ` ${part}`.substring(1)
}
