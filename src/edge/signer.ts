import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'

/**
 * HMAC-SHA256 over short texts. In plain JavaScript: for texts of this size it is faster than
 * `crypto.subtle`, and it needs no `await` on the way to a verdict.
 */
export class Signer {
  readonly #current: Key
  readonly #previous: Key | null

  /** The previous secret still verifies, so that a secret can be rotated without ending sessions. */
  constructor(secrets: { readonly current: string; readonly previous: string | null }) {
    this.#current = keyOf(secrets.current)
    this.#previous = secrets.previous === null ? null : keyOf(secrets.previous)
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

/** A hash that has seen the key, and what of it is used here. */
interface Key {
  _cloneInto(to?: Key): Key
  update(bytes: Uint8Array): Key
  digestInto(out: Uint8Array): void
}

const encoder = new TextEncoder()

const keyOf = (secret: string): Key => hmac.create(sha256, encoder.encode(secret)) as unknown as Key

/** One for all: nothing else runs between the start of a signature and its end. */
let scratch: Key | undefined
const digest = new Uint8Array(32)

function mac(key: Key, purpose: string, text: string): string {
  // A new copy of the key's state for each text would cost as much as the hashing.
  scratch = key._cloneInto(scratch)
  scratch.update(bytesOf(`${purpose}\n${text}`)).digestInto(digest)
  return base64Url(digest)
}

const shared = new Uint8Array(512)

/** Good until the next call. To have a plain short text encoded by the runtime costs more than to hash it. */
function bytesOf(text: string): Uint8Array {
  if (text.length > shared.length) return encoder.encode(text)
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code > 127) return encoder.encode(text)
    shared[i] = code
  }
  return shared.subarray(0, text.length)
}

/** Takes the same time wherever the first difference is. */
export function sameText(a: string, b: string): boolean {
  let difference = a.length ^ b.length
  for (let i = 0; i < a.length; i++) difference |= a.charCodeAt(i) ^ b.charCodeAt(i)
  return difference === 0
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

export function base64Url(bytes: Uint8Array): string {
  let text = ''
  for (let i = 0; i < bytes.length; i += 3) {
    const left = bytes.length - i
    const word = (bytes[i]! << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0)
    text += ALPHABET[word >> 18]! + ALPHABET[(word >> 12) & 63]!
    if (left > 1) text += ALPHABET[(word >> 6) & 63]
    if (left > 2) text += ALPHABET[word & 63]
  }
  return text
}
