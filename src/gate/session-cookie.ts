import type { SessionRules } from '../config/config.ts'
import type { Signer } from '../lib/signer.ts'
import { TwoGenerationCache } from '../lib/two-generation-cache.ts'
import { cookieValueAt, findCookie } from '../request/cookie-header.ts'

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

/**
 * Sessions of a class that begin within this time have the same cookie. It says when somebody was let in, and not who it
 * is: no visitor can be followed by it, and in a rush one signature does for many.
 */
const SHARED_MS = 100

/** A cookie that was written, and for how long it is given out. */
interface Begun {
  readonly cookie: string
  readonly secure: boolean
  readonly atMs: number
  readonly untilMs: number
}

const beginningOf = (ms: number): number => Math.floor(ms / SHARED_MS) * SHARED_MS

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
  readonly #verified = new TwoGenerationCache<number, Verified>(4096)
  /** The last of each class. */
  readonly #begun = new Map<string, Begun>()

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

  begin(admittedAs: string, nowMs: number, secure: boolean): string {
    const last = this.#begun.get(admittedAs)
    if (last !== undefined && last.secure === secure && nowMs >= last.atMs && nowMs < last.untilMs)
      return last.cookie
    const atMs = beginningOf(nowMs)
    const cookie = this.#write({ admittedAs, issuedAtMs: atMs, seenAtMs: atMs }, secure)
    this.#begun.set(admittedAs, { cookie, secure, atMs, untilMs: atMs + SHARED_MS })
    return cookie
  }

  renew(session: Session, nowMs: number, secure: boolean): string {
    return this.#write({ ...session, seenAtMs: beginningOf(nowMs) }, secure)
  }

  #write({ issuedAtMs, seenAtMs, admittedAs }: Session, secure: boolean): string {
    const name = encodeURIComponent(admittedAs).replaceAll('.', '%2E')
    const text = `1.${issuedAtMs.toString(36)}.${seenAtMs.toString(36)}.${name}`
    const { cookie, idleMs, longestMs } = this.#rules
    const ageS = Math.ceil(Math.min(lifeMs(idleMs), issuedAtMs + longestMs - seenAtMs) / 1000)
    return `${cookie}=${text}.${this.#signer.sign(this.#purpose, text)}; Path=/; Max-Age=${ageS}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`
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
    const [, issued = '', seen = '', admittedAs = ''] = text.split('.', 4)
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
