import type { SessionRules } from '../config/config.ts'
import type { Runtime } from '../lib/runtime.ts'
import type { Signer } from '../lib/signer.ts'
import { TwoGenerationCache } from '../lib/two-generation-cache.ts'
import { cookieValueAt, findCookie } from '../request/cookie-header.ts'

/** An admitted session, as stored in its cookie. */
export interface Session {
  /** Random, so that nothing about the visitor can be derived from it. */
  readonly id: string
  /** The class in which it was admitted. Its requests pass in every class of the route. */
  readonly admittedAs: string
  readonly issuedAtMs: number
  /** When the cookie was last written. Idle time starts here. */
  readonly seenAtMs: number
}

/** A cookie is renewed when it is older than this part of the idle time, not with every answer. */
const RENEW_AFTER = 1 / 8
/** Browsers send fewer cookies of one name than this. */
const MOST_COOKIES_READ = 4
const LONGEST_VALUE = 400
/** Cookies of another version are ignored. */
const VERSION = '2'

/** The signed session cookies of one route. */
export class SessionCookies {
  readonly #rules: SessionRules
  readonly #signer: Signer
  readonly #runtime: Runtime
  readonly #purpose: string
  /** Verified cookies by their value, so that each signature is verified once per isolate. */
  readonly #verified = new TwoGenerationCache<string, Session>(4096)

  constructor(route: string, rules: SessionRules, signer: Signer, runtime: Runtime) {
    this.#rules = rules
    this.#signer = signer
    this.#runtime = runtime
    this.#purpose = `session ${route}`
  }

  /** The valid session in a `Cookie` header. Forged, expired and foreign cookies are ignored. */
  read(header: string | null, nowMs: number): Session | null {
    const name = this.#rules.cookie
    let at = findCookie(header, name, 0)
    for (let i = 0; at >= 0 && i < MOST_COOKIES_READ; i++) {
      const session = this.#verify(cookieValueAt(header!, at + name.length + 1))
      if (session !== null && this.#isAlive(session, nowMs)) return session
      at = findCookie(header, name, at + 1)
    }
    return null
  }

  isDueForRenewal(session: Session, nowMs: number): boolean {
    return nowMs - session.seenAtMs >= this.#rules.idleMs * RENEW_AFTER
  }

  /** `Set-Cookie` for a new session. */
  begin(admittedAs: string, nowMs: number, secure: boolean): string {
    const id = this.#runtime.id()
    return this.#write({ id, admittedAs, issuedAtMs: nowMs, seenAtMs: nowMs }, secure)
  }

  /** `Set-Cookie` for a known session. */
  renew(session: Session, nowMs: number, secure: boolean): string {
    return this.#write({ ...session, seenAtMs: nowMs }, secure)
  }

  #write({ id, admittedAs, issuedAtMs, seenAtMs }: Session, secure: boolean): string {
    const name = encodeURIComponent(admittedAs).replaceAll('.', '%2E')
    const text = `${VERSION}.${id}.${issuedAtMs.toString(36)}.${seenAtMs.toString(36)}.${name}`
    const { cookie, idleMs, maxAgeMs } = this.#rules
    const ageS = Math.ceil(Math.min(lifeMs(idleMs), issuedAtMs + maxAgeMs - seenAtMs) / 1000)
    return `${cookie}=${text}.${this.#signer.sign(this.#purpose, text)}; Path=/; Max-Age=${ageS}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`
  }

  #verify(value: string): Session | null {
    if (value.length > LONGEST_VALUE || !value.startsWith(`${VERSION}.`)) return null
    const known = this.#verified.get(value)
    if (known !== undefined) return known
    const dot = value.lastIndexOf('.')
    const text = value.substring(0, dot)
    if (!this.#signer.verify(this.#purpose, text, value.substring(dot + 1))) return null
    const [, id = '', issued = '', seen = '', admittedAs = ''] = copyOf(text).split('.', 5)
    const session = {
      id,
      admittedAs: decodeURIComponent(admittedAs),
      issuedAtMs: Number.parseInt(issued, 36),
      seenAtMs: Number.parseInt(seen, 36),
    }
    this.#verified.set(copyOf(value), session)
    return session
  }

  #isAlive({ seenAtMs, issuedAtMs }: Session, nowMs: number): boolean {
    const { idleMs, maxAgeMs } = this.#rules
    return nowMs < seenAtMs + lifeMs(idleMs) && nowMs < issuedAtMs + maxAgeMs
  }
}

/** The cookie may be older than the last request, by up to `RENEW_AFTER`. No session ends too early because of that. */
const lifeMs = (idleMs: number): number => idleMs * (1 + RENEW_AFTER)

/** A copy of its own: in V8 a substring keeps the whole text alive, here a `Cookie` header. */
function copyOf(part: string): string {
  return ` ${part}`.substring(1)
}
