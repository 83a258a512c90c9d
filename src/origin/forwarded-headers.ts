import type { UrlParts } from '../edge/url.ts'
import { forwardedFor, forwardedHeaders, isTheirs } from './headers.ts'

interface Held {
  value: string
  /** The request that had it last. */
  turn: number
}

/**
 * What the origin is told, as `forwardedHeaders` says it, but in one `Headers` for all requests: only what differs
 * from the request before is written. One of its own for each request costs twice as much, most of it in the
 * garbage collector, and most of what clients send is the same.
 */
export class ForwardedHeaders {
  readonly #headers = new Headers()
  /** What is in `#headers`, and nothing else is. */
  readonly #held = new Map<string, Held>()
  #turn = 0
  #count = 0
  #isPlain = true

  /** For whoever copies it at once, as `fetch` does: the next request writes over it. */
  lend(given: Headers, url: Pick<UrlParts, 'authority' | 'isSecure'>, ip: string | null): Headers {
    try {
      this.#follow(given, url, ip)
      if (this.#isPlain) return this.#headers
    } catch {
      // A value that came from the network and may not be set: it passes only where it is copied by the runtime.
    }
    return forwardedHeaders(given, url, ip)
  }

  #follow(
    given: Headers,
    { authority, isSecure }: Pick<UrlParts, 'authority' | 'isSecure'>,
    ip: string | null,
  ): void {
    this.#turn++
    this.#count = 0
    this.#isPlain = true
    given.forEach(this.#take)
    this.#hold('x-forwarded-host', authority)
    this.#hold('x-forwarded-proto', isSecure ? 'https' : 'http')
    if (ip !== null) this.#hold('x-forwarded-for', forwardedFor(given.get('X-Forwarded-For'), ip))
    if (this.#held.size > this.#count) this.#dropOthers()
  }

  readonly #take = (value: string, name: string): void => {
    if (isTheirs(name)) this.#hold(name, value)
    // What `Connection` names, and upgrades, are seldom, and for `forwardedHeaders` to see to.
    else if (name === 'upgrade' || (name === 'connection' && value !== 'keep-alive'))
      this.#isPlain = false
  }

  #hold(name: string, value: string): void {
    const held = this.#held.get(name)
    if (held?.value !== value) {
      if (!isWhole(name, value)) {
        this.#isPlain = false
        return
      }
      this.#headers.set(name, value)
    }
    if (held?.turn !== this.#turn) this.#count++
    if (held === undefined) this.#held.set(name, { value, turn: this.#turn })
    else {
      held.value = value
      held.turn = this.#turn
    }
  }

  #dropOthers(): void {
    for (const [name, { turn }] of this.#held)
      if (turn !== this.#turn) {
        this.#held.delete(name)
        this.#headers.delete(name)
      }
  }
}

/**
 * Does JavaScript see all of it? Not of bytes that are no UTF-8, nor where one `Cookie` ends and the next begins, nor of
 * more than one `Set-Cookie`.
 */
function isWhole(name: string, value: string): boolean {
  if (value.includes('\uFFFD') || name === 'set-cookie') return false
  return name !== 'cookie' || !value.includes(', ')
}
