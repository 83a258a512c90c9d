import type { ClientKey } from '../config/config.ts'
import { keyHashOf } from '../lib/hash.ts'
import { addressHash } from './address-hash.ts'
import { readCookie } from './cookie-header.ts'
import type { RequestView } from './request-attributes.ts'

/** So that a key that reads like an address is not that address. */
const KEYED = 0x5bd1e995

/** Who is one client, as a route's fairness says: as 32 bits, so that no address or key stays in memory. */
export class ClientKeys {
  readonly #by: ClientKey
  readonly #seed: number

  /** `coin`: in [0, 1). */
  constructor(by: ClientKey, coin: number) {
    this.#by = by
    this.#seed = Math.floor(coin * 2 ** 32)
  }

  /** null: nothing tells who it is. */
  of(subject: RequestView): number | null {
    const by = this.#by
    if (typeof by === 'object') {
      const key = keyOf(by, subject)
      if (key !== null) return keyHashOf(key, this.#seed ^ KEYED)
    }
    const { ip } = subject
    if (ip === null) return null
    return addressHash(ip, by === 'ip' ? 'ip' : 'range', this.#seed)
  }
}

function keyOf(by: Exclude<ClientKey, string>, { headers, cookies }: RequestView): string | null {
  return 'header' in by ? headers.get(by.header) : readCookie(cookies, by.cookie)
}
