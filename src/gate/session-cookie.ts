import type { Mode, SessionRules } from '../config/config.ts'
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
  /** The mark of the server that it stays at; null: any server will do. */
  readonly server: string | null
}

/** A cookie is renewed when it is older than this part of the idle time, not with every answer. */
const RENEW_AFTER = 1 / 8
/** Cookies of another version are ignored. */
const VERSION = '3'

/** The signed session cookies of one route. */
export class SessionCookies {
  readonly #rules: SessionRules
  readonly #runtime: Runtime
  /** The mode in force. */
  readonly #mode: () => Mode
  readonly #cookie: SignedCookie<Session>

  constructor(
    { name, session, mode }: CookieRoute,
    signer: Signer,
    runtime: Runtime,
    modeInForce: () => Mode = () => mode,
  ) {
    this.#rules = session
    this.#runtime = runtime
    this.#mode = modeInForce
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

  /** The valid session in a header, for clients without cookies. */
  readText(text: string, nowMs: number): Session | null {
    return this.#cookie.verify(text, (session) => this.#isCurrent(session, nowMs))
  }

  isDueForRenewal(session: Session, nowMs: number): boolean {
    return nowMs - session.seenAtMs >= this.#rules.idleMs * RENEW_AFTER
  }

  /** `Set-Cookie` for a new session. The session of a pass has the id of its holder. */
  begin(
    admittedAs: string,
    nowMs: number,
    secure: boolean,
    id = this.#runtime.id(),
    server: string | null = null,
  ): string {
    const isObserved = this.#mode() === 'observe'
    const times = { issuedAtMs: nowMs, seenAtMs: nowMs }
    return this.#write({ id, admittedAs, ...times, isObserved, server }, secure)
  }

  /** `Set-Cookie` for a known session. */
  renew(session: Session, nowMs: number, secure: boolean): string {
    return this.#write({ ...session, seenAtMs: nowMs }, secure)
  }

  /** Until when the session's cookie is valid, if it is not renewed. */
  validUntilMs({ seenAtMs, issuedAtMs }: Session): number {
    const { idleMs, maxAgeMs } = this.#rules
    // Another answer may have renewed the cookie a moment ago.
    const renewedAtMs = seenAtMs + idleMs * RENEW_AFTER
    return Math.min(renewedAtMs + lifeMs(idleMs), issuedAtMs + maxAgeMs)
  }

  /** `Set-Cookie` that removes the cookie of a session that has ended. */
  end(secure: boolean): string {
    return this.#cookie.write('', 0, secure)
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
    if (isObserved && !keepObserved && this.#mode() !== 'observe') return false
    return nowMs < seenAtMs + lifeMs(idleMs) && nowMs < issuedAtMs + maxAgeMs
  }
}

/** The cookie may be older than the last request, by up to `RENEW_AFTER`. No session ends too early because of that. */
const lifeMs = (idleMs: number): number => idleMs * (1 + RENEW_AFTER)

const OBSERVED = 'o'
const ENFORCED = 'e'

function sessionText(session: Session): string {
  const { id, admittedAs, issuedAtMs, seenAtMs, isObserved, server } = session
  const name = encodeURIComponent(admittedAs).replaceAll('.', '%2E')
  const mark = isObserved ? OBSERVED : ENFORCED
  const times = `${issuedAtMs.toString(36)}.${seenAtMs.toString(36)}`
  return `${VERSION}.${mark}.${id}.${times}.${name}${server === null ? '' : `.${server}`}`
}

function parseSession(text: string): Session | null {
  const [version, mark, id, issued = '', seen = '', name, server = null, ...more] = text.split('.')
  if (version !== VERSION || id === undefined || name === undefined || more.length > 0) return null
  try {
    return {
      id,
      admittedAs: decodeURIComponent(name),
      issuedAtMs: Number.parseInt(issued, 36),
      seenAtMs: Number.parseInt(seen, 36),
      isObserved: mark === OBSERVED,
      server,
    }
  } catch {
    // The name is not validly encoded.
    return null
  }
}
