import type { SessionRules } from '../config/config.ts'
import type { Runtime } from '../lib/runtime.ts'
import type { Signer } from '../lib/signer.ts'
import { type CookieRoute, SignedCookie } from './signed-cookie.ts'

/** An admitted session, as stored in its cookie. */
export interface Session {
  /** Random, so that nothing about the visitor can be derived from it. */
  readonly id: string
  /** The class in which it was admitted. Its requests pass in every class of the route. */
  readonly admittedAs: string
  readonly issuedAtMs: number
  /** When the cookie was last written. Idle time starts here. */
  readonly seenAtMs: number
  /** Did it begin in mode `observe`, where nobody is refused? */
  readonly isObserved: boolean
}

/** A cookie is renewed when it is older than this part of the idle time, not with every answer. */
const RENEW_AFTER = 1 / 8
/** Cookies of another version are ignored. */
const VERSION = '3'

/** The signed session cookies of one route. */
export class SessionCookies {
  readonly #rules: SessionRules
  readonly #runtime: Runtime
  readonly #isObserving: boolean
  readonly #cookie: SignedCookie<Session>

  constructor({ name, session, mode }: CookieRoute, signer: Signer, runtime: Runtime) {
    this.#rules = session
    this.#runtime = runtime
    this.#isObserving = mode === 'observe'
    this.#cookie = new SignedCookie(
      {
        name: session.cookie,
        purpose: `session ${name}`,
        sameSite: session.sameSite,
        longestValue: 400,
        mostRemembered: 4096,
        parse: parseSession,
      },
      signer,
    )
  }

  /** The valid session in a `Cookie` header. Forged, expired and foreign cookies are ignored. */
  read(header: string | null, nowMs: number, secure: boolean): Session | null {
    return this.#cookie.read(header, secure, (session) => this.#isCurrent(session, nowMs))
  }

  isDueForRenewal(session: Session, nowMs: number): boolean {
    return nowMs - session.seenAtMs >= this.#rules.idleMs * RENEW_AFTER
  }

  /** `Set-Cookie` for a new session. */
  begin(admittedAs: string, nowMs: number, secure: boolean): string {
    const id = this.#runtime.id()
    const isObserved = this.#isObserving
    return this.#write({ id, admittedAs, issuedAtMs: nowMs, seenAtMs: nowMs, isObserved }, secure)
  }

  /** `Set-Cookie` for a known session. */
  renew(session: Session, nowMs: number, secure: boolean): string {
    return this.#write({ ...session, seenAtMs: nowMs }, secure)
  }

  #write(session: Session, secure: boolean): string {
    const { issuedAtMs, seenAtMs } = session
    const { idleMs, maxAgeMs } = this.#rules
    const ageS = Math.ceil(Math.min(lifeMs(idleMs), issuedAtMs + maxAgeMs - seenAtMs) / 1000)
    return this.#cookie.write(this.#cookie.sign(sessionText(session)), ageS, secure)
  }

  /** A session that nobody decided on, because it began in `observe`, does not count in `enforce`. */
  #isCurrent({ seenAtMs, issuedAtMs, isObserved }: Session, nowMs: number): boolean {
    const { idleMs, maxAgeMs, keepObserved } = this.#rules
    if (isObserved && !this.#isObserving && !keepObserved) return false
    return nowMs < seenAtMs + lifeMs(idleMs) && nowMs < issuedAtMs + maxAgeMs
  }
}

/** The cookie may be older than the last request, by up to `RENEW_AFTER`. No session ends too early because of that. */
const lifeMs = (idleMs: number): number => idleMs * (1 + RENEW_AFTER)

const OBSERVED = 'o'
const ENFORCED = 'e'

function sessionText({ id, admittedAs, issuedAtMs, seenAtMs, isObserved }: Session): string {
  const name = encodeURIComponent(admittedAs).replaceAll('.', '%2E')
  const mark = isObserved ? OBSERVED : ENFORCED
  return `${VERSION}.${mark}.${id}.${issuedAtMs.toString(36)}.${seenAtMs.toString(36)}.${name}`
}

function parseSession(text: string): Session | null {
  const [version, mark, id, issued = '', seen = '', name, ...more] = text.split('.')
  if (version !== VERSION || id === undefined || name === undefined || more.length > 0) return null
  try {
    return {
      id,
      admittedAs: decodeURIComponent(name),
      issuedAtMs: Number.parseInt(issued, 36),
      seenAtMs: Number.parseInt(seen, 36),
      isObserved: mark === OBSERVED,
    }
  } catch {
    // The name is not validly encoded.
    return null
  }
}
