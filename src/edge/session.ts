import type { SessionRules } from '../config/types.ts'
import { cookieValueAt, findCookie } from './cookie-header.ts'
import { Recent } from './recent.ts'
import type { Signer } from './signer.ts'

/** An admitted session, as its cookie tells. */
export interface Session {
  /** The class in which it was admitted; it passes in every class of its route. */
  readonly admittedAs: string
  readonly issuedAtMs: number
  /** When the cookie was last written: idle time counts from here. */
  readonly seenAtMs: number
}

/** A cookie is written anew when it is older than this part of the idle time, not on every answer. */
const RENEW_AFTER = 1 / 8

/** More cookies of one name than any browser sends are not looked at. */
const MOST_COOKIES_READ = 4
const LONGEST_VALUE = 400

/** A cookie that was found to be ours, and what it says. */
interface Verified {
  readonly value: string
  readonly session: Session
}

/** The signed session cookies of one route. */
export class SessionCookies {
  readonly #rules: SessionRules
  readonly #signer: Signer
  readonly #purpose: string
  readonly #verified = new Recent<number, Verified>(4096)
  readonly #written = new Recent<string, string>(64)
  #lastMs = Number.NaN
  #lastTime = ''
  /** Below 0: without `Secure`. */
  #lastAge = Number.NaN
  #lastAttributes = ''

  constructor(route: string, rules: SessionRules, signer: Signer) {
    this.#rules = rules
    this.#signer = signer
    this.#purpose = `session ${route}`
  }

  /** The valid session in a `Cookie` header; forged, expired and foreign ones count as none. */
  read(header: string | null, nowMs: number): Session | null {
    const name = this.#rules.cookie
    let at = findCookie(header, name, 0)
    for (let i = 0; at >= 0 && i < MOST_COOKIES_READ; i++) {
      const value = cookieValueAt(header!, at + name.length + 1)
      const session = this.#verify(value)
      if (session !== null && this.#isAlive(session, nowMs)) return session
      at = findCookie(header, name, at + 1)
    }
    return null
  }

  isDueForRenewal(session: Session, nowMs: number): boolean {
    return nowMs - session.seenAtMs >= this.#rules.idleMs * RENEW_AFTER
  }

  /** `nonce` tells sessions admitted in the same millisecond apart. */
  begin(admittedAs: string, nowMs: number, nonce: number, secure: boolean): string {
    return this.#write({ admittedAs, issuedAtMs: nowMs, seenAtMs: nowMs }, nonce, secure)
  }

  renew(session: Session, nowMs: number, nonce: number, secure: boolean): string {
    return this.#write({ ...session, seenAtMs: nowMs }, nonce, secure)
  }

  #write(session: Session, nonce: number, secure: boolean): string {
    const { issuedAtMs, seenAtMs, admittedAs } = session
    // `| 0` and not `Math.floor`: what may be a fraction is written out at ten times the cost.
    const number = ((nonce * 2 ** 30) | 0).toString(36)
    const text = `1.${this.#time(issuedAtMs)}.${this.#time(seenAtMs)}.${number}.${this.#class(admittedAs)}`
    const { cookie, idleMs, longestMs } = this.#rules
    const ageS = Math.ceil(Math.min(lifeMs(idleMs), issuedAtMs + longestMs - seenAtMs) / 1000)
    return `${cookie}=${text}.${this.#signer.sign(this.#purpose, text)}${this.#attributes(ageS, secure)}`
  }

  /** Nearly all that are written are as long-lived as the one before. */
  #attributes(ageS: number, secure: boolean): string {
    const key = secure ? ageS : -ageS
    if (key !== this.#lastAge) {
      this.#lastAge = key
      this.#lastAttributes = `; Path=/; Max-Age=${ageS}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`
    }
    return this.#lastAttributes
  }

  /** Sessions begin by the dozen in a millisecond of a rush, and to write a large number out is slow. */
  #time(ms: number): string {
    if (ms !== this.#lastMs) {
      this.#lastMs = ms
      this.#lastTime = ms.toString(36)
    }
    return this.#lastTime
  }

  #class(name: string): string {
    let written = this.#written.get(name)
    if (written === undefined) {
      written = encodeURIComponent(name).replaceAll('.', '%2E')
      this.#written.set(name, written)
    }
    return written
  }

  #verify(value: string): Session | null {
    if (value.length > LONGEST_VALUE) return null
    const key = keyOf(value)
    const known = this.#verified.get(key)
    if (known !== undefined && known.value === value) return known.session
    if (!value.startsWith('1.')) return null
    const dot = value.lastIndexOf('.')
    const text = value.substring(0, dot)
    if (!this.#signer.verify(this.#purpose, text, value.substring(dot + 1))) return null
    const [, issued = '', seen = '', , admittedAs = ''] = text.split('.', 5)
    const session = {
      admittedAs: decodeURIComponent(admittedAs),
      issuedAtMs: Number.parseInt(issued, 36),
      seenAtMs: Number.parseInt(seen, 36),
    }
    this.#verified.set(key, { value: copyOf(value), session })
    return session
  }

  #isAlive(session: Session, nowMs: number): boolean {
    const { idleMs, longestMs } = this.#rules
    return nowMs < session.seenAtMs + lifeMs(idleMs) && nowMs < session.issuedAtMs + longestMs
  }
}

/** The cookie may be up to `RENEW_AFTER` older than the last request: nobody is cut off early for that. */
const lifeMs = (idleMs: number): number => idleMs * (1 + RENEW_AFTER)

/**
 * Of the last letters of a signature, in which cookies differ. A number: a text would be put into the runtime's table of
 * all texts to be looked up by, which costs more than all the rest. Cookies that share one take turns at being known.
 */
function keyOf(value: string): number {
  let key = 0
  for (let i = Math.max(0, value.length - 8); i < value.length; i++)
    key = (Math.imul(key, 61) + value.charCodeAt(i)) & 0x3fffffff
  return key
}

/** One that is cut out of a text keeps all of it in memory, here a whole `Cookie` header. */
function copyOf(cut: string): string {
  return ` ${cut}`.substring(1)
}
