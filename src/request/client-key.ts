import type { ClientKey } from '../config/config.ts'
import { keyHashOf } from '../lib/hash.ts'
import { addressHash } from './address-hash.ts'
import { readCookie } from './cookie-header.ts'
import type { RequestView } from './request-view.ts'

/** Gives a key another hash than an address with the same text. */
const KEYED = 0x5bd1e995

/** The client of a request as the route's fairness defines it: a 32-bit hash, so no address or key stays in memory. */
export class ClientKeys {
  readonly #by: ClientKey
  readonly #seed: number

  /** `coin` is a random number in [0, 1). */
  constructor(by: ClientKey, coin: number) {
    this.#by = by
    this.#seed = Math.floor(coin * 2 ** 32)
  }

  /** null: the client is unknown. */
  of(view: RequestView): number | null {
    const by = this.#by
    if (typeof by === 'object') {
      const key = keyOf(by, view)
      if (key !== null) return keyHashOf(key, this.#seed ^ KEYED)
    }
    const { ip } = view
    if (ip === null) return null
    return addressHash(ip, by === 'ip' ? 'ip' : 'range', this.#seed)
  }
}

function keyOf(by: Exclude<ClientKey, string>, { headers, cookies }: RequestView): string | null {
  return 'header' in by ? headers.get(by.header) : readCookie(cookies, by.cookie)
}
