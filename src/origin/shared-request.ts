import type { UrlParts } from '../request/url.ts'
import { CLIENT_IP, forwardedFor, isTheirs, namesNoHeader } from './forwarded-headers.ts'

/** Redirects are the client's to follow, and bodies pass as they came: whoever follows one would else unpack it. */
export const AS_IT_IS = { redirect: 'manual', encodeResponseBody: 'manual' } as const

interface Held {
  readonly name: string
  value: string
  /** The request that had it last. */
  turn: number
}

const FORWARDED_FOR = 'x-forwarded-for'

/** Those of two browsers fit in several times. They are searched one by one, so a client may not send thousands. */
const MOST_HELD = 128

/** By which host and scheme the client asked. */
type Address = Pick<UrlParts, 'authority' | 'isSecure'>

/**
 * What the origin is asked with a GET: one `Request` for all, in which only what differs from the request before is
 * written. It has the headers that `forwardedHeaders` would make. Headers and options of its own for each request cost
 * some per cent of a proxy's throughput, most of it in the garbage collector.
 */
export class LentRequest {
  readonly #request = new Request('http://origin.invalid/', AS_IT_IS)
  readonly #headers = this.#request.headers
  /** What is in `#headers`, and nothing else is. */
  #held: Held[] = []
  /** Where the next header is looked for first: headers come in the same order each time. */
  #next = 0
  #turn = 0
  #count = 0
  #isPlain = true
  /** What the headers say of these: each is seen on the way, and need not be asked for. */
  #ip: string | null = null
  #forwardedFor: string | null = null

  /**
   * For whoever copies it at once, as `fetch` does: the next request writes over it. null: these headers do not pass
   * through JavaScript unharmed.
   */
  lend(given: Headers, address: Address): Request | null {
    try {
      this.#follow(given, address)
    } catch {
      // The runtime takes more from the network than it lets JavaScript set.
      return null
    }
    return this.#isPlain ? this.#request : null
  }

  #follow(given: Headers, { authority, isSecure }: Address): void {
    this.#turn++
    this.#next = 0
    this.#count = 0
    this.#isPlain = true
    this.#ip = this.#forwardedFor = null
    given.forEach(this.#take)
    this.#hold('x-forwarded-host', authority)
    this.#hold('x-forwarded-proto', isSecure ? 'https' : 'http')
    if (this.#ip !== null) this.#hold(FORWARDED_FOR, forwardedFor(this.#forwardedFor, this.#ip))
    // Of one that sent too many nothing stays: the next needs the room.
    if (!this.#isPlain && this.#held.length >= MOST_HELD) this.#turn++
    if (this.#held.length > this.#count || !this.#isPlain) this.#dropOthers()
  }

  readonly #take = (value: string, name: string): void => {
    if (name.length === CLIENT_IP.length && name === CLIENT_IP) this.#ip = value
    else if (name.length === FORWARDED_FOR.length && name === FORWARDED_FOR)
      this.#forwardedFor = value
    const held = this.#held[this.#next]
    // Most are as they were in the request before, at the same place.
    const isKnown = held !== undefined && held.name === name
    if (isKnown && held.value === value) {
      held.turn = this.#turn
      this.#next++
      this.#count++
      return
    }
    // It is not lent any more: to look at the rest would be in vain, however much there is.
    if (!this.#isPlain) return
    if (isKnown || isTheirs(name)) this.#hold(name, value)
    // What `Connection` names, and upgrades, are seldom, and for `forwardedHeaders` to see to.
    else if (name === 'upgrade' || (name === 'connection' && !namesNoHeader(value)))
      this.#isPlain = false
  }

  #hold(name: string, value: string): void {
    const at = this.#find(name)
    const held = at < 0 ? undefined : this.#held[at]
    if (held?.value !== value) {
      const isTooMany = held === undefined && this.#held.length >= MOST_HELD
      if (isTooMany || !isWhole(name, value)) {
        this.#isPlain = false
        return
      }
      this.#headers.set(name, value)
    }
    if (held?.turn !== this.#turn) this.#count++
    if (held === undefined) this.#held.splice(this.#next++, 0, { name, value, turn: this.#turn })
    else {
      held.value = value
      held.turn = this.#turn
      this.#next = at + 1
    }
  }

  /** -1: it is not held. To compare a dozen short texts costs less than to hash one that has just been made. */
  #find(name: string): number {
    const held = this.#held
    if (held[this.#next]?.name === name) return this.#next
    for (let at = 0; at < held.length; at++) if (held[at]!.name === name) return at
    return -1
  }

  #dropOthers(): void {
    for (const { name, turn } of this.#held) if (turn !== this.#turn) this.#headers.delete(name)
    this.#held = this.#held.filter(({ turn }) => turn === this.#turn)
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
