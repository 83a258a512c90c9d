import type { Route } from '../config/config.ts'
import type { Runtime } from '../lib/runtime.ts'
import type { Signer } from '../lib/signer.ts'
import { TwoGenerationCache } from '../lib/two-generation-cache.ts'
import type { PassPort } from '../protocol/pass-port.ts'
import { cookieReadings } from '../request/cookie-header.ts'
import { LONGEST_PASS, type Pass, readPass } from '../request/pass-token.ts'
import type { RequestView } from '../request/request-view.ts'
import type { CommandBox } from './command-box.ts'
import { SignedCookie } from './signed-cookie.ts'

/** The same name as a header, a cookie and a query parameter. */
export const PASS_HEADER = 'Tidegate-Pass'
export const PASS_NAME = 'tidegate-pass'

/** A request with a pass waits at most this long. After that it is treated as one without a pass. */
const CLAIM_TIMEOUT_MS = 250
/** A holder that was granted a pass need not ask again for this long. If it loses its key, the plan says so. */
const GRANTED_FOR_MS = 30_000
const MOST_REMEMBERED = 1024

/** A pass that this visitor may use. */
export interface HeldPass {
  readonly pass: Pass
  /** Its session and its ticket have this id; null: the pass needs no holder. */
  readonly holder: string | null
  /** The holder is new, so the visitor needs its cookie. */
  readonly isNew: boolean
  /** When the place of its key began; null: it has no key. */
  readonly sinceMs: number | null
}

interface Granted {
  readonly untilMs: number
  readonly sinceMs: number | null
}

/** The passes of one route: found in a request, verified, and claimed where only one visitor may use them. */
export class RoutePasses {
  readonly #route: Route
  readonly #signer: Signer
  readonly #runtime: Runtime
  readonly #port: PassPort | null
  readonly #commands: CommandBox
  readonly #holders: SignedCookie<string>
  readonly #verified = new TwoGenerationCache<string, Pass>(MOST_REMEMBERED)
  readonly #granted = new TwoGenerationCache<string, Granted>(MOST_REMEMBERED)

  constructor(
    route: Route,
    signer: Signer,
    runtime: Runtime,
    commands: CommandBox,
    port: PassPort | null,
  ) {
    this.#route = route
    this.#signer = signer
    this.#runtime = runtime
    this.#commands = commands
    this.#port = port
    this.#holders = new SignedCookie(
      {
        name: `${route.session.cookie}-holder`,
        purpose: `holder ${route.name}`,
        sameSite: route.session.sameSite,
        longestValue: 80,
        mostRemembered: 256,
        parse: (text) => (HOLDER.test(text) ? text : null),
      },
      signer,
    )
  }

  /** A valid pass for this route in the query, the header or the cookie; null: none. */
  find(view: RequestView, nowMs: number): Pass | null {
    return (
      this.#valid(view.pass ?? null, nowMs) ??
      this.#valid(view.headers.get(PASS_HEADER), nowMs) ??
      this.#valid(cookieReadings(view.cookies, PASS_NAME).at(-1) ?? null, nowMs)
    )
  }

  /** Does the verdict have to wait for a claim? */
  isClaimed({ key, once }: Pass): boolean {
    return key !== null || once
  }

  /** null: another visitor has used it, or the object cannot be reached. Then the visitor is one without a pass. */
  async claim(pass: Pass, view: RequestView, nowMs: number): Promise<HeldPass | null> {
    const known = this.#holders.read(
      view.cookies,
      view.url.isSecure,
      (holder) => !this.#commands.isRevoked(holder),
    )
    const holder = known ?? this.#runtime.id()
    const isNew = known === null
    const name = `${pass.id} ${holder}`
    const granted = this.#granted.get(name)
    if (granted !== undefined && granted.untilMs > nowMs)
      return { pass, holder, isNew, sinceMs: granted.sinceMs }
    const answer = await this.#ask(pass, holder)
    if (answer === null || !answer.isGranted) return null
    if (answer.displaced !== null) this.#commands.revoke(answer.displaced, nowMs + this.#longestMs)
    const sinceMs = answer.sinceMs ?? null
    this.#granted.set(name, { untilMs: nowMs + GRANTED_FOR_MS, sinceMs })
    return { pass, holder, isNew, sinceMs }
  }

  /** `Set-Cookie` for a new holder. */
  holderCookie(holder: string, { expiresAtMs }: Pass, nowMs: number, secure: boolean): string {
    const maxAgeS = Math.max(1, Math.ceil((expiresAtMs - nowMs) / 1000))
    return this.#holders.write(this.#holders.sign(holder), maxAgeS, secure)
  }

  /** Until then every cookie of a displaced holder has expired: it is not renewed any more. */
  get #longestMs(): number {
    const { idleMs, maxAgeMs } = this.#route.session
    return Math.min(maxAgeMs, 1.25 * idleMs + 10_000)
  }

  #valid(token: string | null, nowMs: number): Pass | null {
    if (token === null || token.length > LONGEST_PASS) return null
    let pass = this.#verified.get(token) ?? null
    if (pass === null) {
      pass = readPass(token, this.#signer)
      if (pass === null) return null
      this.#verified.set(token, pass)
    }
    const { route, expiresAtMs, class: className } = pass
    if (route !== this.#route.name || !(nowMs < expiresAtMs)) return null
    const isKnownClass =
      className === null || this.#route.classes.some(({ name }) => name === className)
    return isKnownClass ? pass : null
  }

  /** null: no answer in time. */
  async #ask({ id, key, once, expiresAtMs }: Pass, holder: string) {
    if (this.#port === null) return null
    const route = this.#route.name
    const { keepPlaceMs: keepMs } = this.#route.waitingRoom
    const asked = this.#port.claim({
      ...{ route, id, key, once, holder, keepMs },
      untilMs: expiresAtMs,
    })
    const late = this.#runtime.sleep(CLAIM_TIMEOUT_MS).then(() => null)
    return Promise.race([asked.catch(() => null), late])
  }
}

const HOLDER = /^[\w-]{8,40}$/
