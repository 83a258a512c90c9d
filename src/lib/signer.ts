import { HmacKey } from './hmac.ts'

/** Signs short texts, and tells its own signatures from others. */
export class Signer {
  readonly #current: HmacKey
  readonly #previous: HmacKey | null

  /** The previous secret still verifies, so that a secret can be rotated without ending sessions. */
  constructor(secrets: { readonly current: string; readonly previous: string | null }) {
    this.#current = new HmacKey(secrets.current)
    this.#previous = secrets.previous === null ? null : new HmacKey(secrets.previous)
  }

  /** `purpose` keeps a signature for one thing from being used for another. */
  sign(purpose: string, text: string): string {
    return mac(this.#current, purpose, text)
  }

  /** One signature with each secret, for a reader that may not have been told of the newest yet. */
  signWithAll(purpose: string, text: string): readonly string[] {
    const keys = this.#previous === null ? [this.#current] : [this.#current, this.#previous]
    return keys.map((key) => mac(key, purpose, text))
  }

  verify(purpose: string, text: string, signature: string): boolean {
    if (sameText(mac(this.#current, purpose, text), signature)) return true
    return this.#previous !== null && sameText(mac(this.#previous, purpose, text), signature)
  }
}

function mac(key: HmacKey, purpose: string, text: string): string {
  return key.sign(`${purpose}\n${text}`)
}

/** Takes the same time wherever the first difference is. */
export function sameText(a: string, b: string): boolean {
  let difference = a.length ^ b.length
  for (let i = 0; i < a.length; i++) difference |= a.charCodeAt(i) ^ b.charCodeAt(i)
  return difference === 0
}
