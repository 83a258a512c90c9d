import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'
import { base64url } from './base64url.ts'

/** 132 of 256 bits: RFC 2104 §5 allows a signature to be cut to half of the hash. */
export const SIGNATURE_CHARACTERS = 22

/** Signs short texts with HMAC-SHA256, and verifies the signatures. */
export class Signer {
  readonly #current: Mac
  readonly #previous: Mac | null

  /** Signatures with the previous secret stay valid, so that a new secret does not end sessions. */
  constructor(secrets: { readonly current: string; readonly previous: string | null }) {
    this.#current = macWith(secrets.current)
    this.#previous = secrets.previous === null ? null : macWith(secrets.previous)
  }

  /** A signature for one `purpose` is not valid for another. */
  sign(purpose: string, text: string): string {
    return this.#current(`${purpose}\n${text}`)
  }

  /** One signature with each secret, for a reader that may not have the newest secret yet. */
  signWithAll(purpose: string, text: string): readonly string[] {
    const macs = this.#previous === null ? [this.#current] : [this.#current, this.#previous]
    return macs.map((mac) => mac(`${purpose}\n${text}`))
  }

  verify(purpose: string, text: string, signature: string): boolean {
    const message = `${purpose}\n${text}`
    if (sameText(this.#current(message), signature)) return true
    return this.#previous !== null && sameText(this.#previous(message), signature)
  }
}

type Mac = (message: string) => string

/** The key is hashed once, and each message starts from a copy of that state. */
function macWith(secret: string): Mac {
  const keyed = hmac.create(sha256, utf8ToBytes(secret))
  return (message) =>
    base64url(keyed.clone().update(utf8ToBytes(message)).digest()).substring(
      0,
      SIGNATURE_CHARACTERS,
    )
}

/** Takes the same time wherever the texts differ, so that timing reveals nothing about the signature. */
export function sameText(a: string, b: string): boolean {
  let difference = a.length ^ b.length
  for (let i = 0; i < a.length; i++) difference |= a.charCodeAt(i) ^ b.charCodeAt(i)
  return difference === 0
}
