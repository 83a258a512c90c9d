/**
 * HMAC-SHA256 (RFC 2104, FIPS 180-4), made for short texts. In plain JavaScript and without a library: that is several
 * times faster than `crypto.subtle` or a general one for a cookie's length, and it needs no `await` before a verdict.
 */
export class HmacKey {
  /** The hash after the block that the key makes, for the inner hash and the outer one. */
  readonly #inner: Int32Array
  readonly #outer: Int32Array

  constructor(secret: string) {
    const key = new Uint8Array(BLOCK)
    const length = write(secret)
    if (length <= BLOCK) key.set(buffer.subarray(0, length))
    else {
      state.set(INITIAL)
      absorb(length, 0)
      for (let i = 0; i < DIGEST; i++) key[i] = state[i >> 2]! >>> (24 - 8 * (i & 3))
    }
    this.#inner = afterBlock(key, 0x36)
    this.#outer = afterBlock(key, 0x5c)
  }

  /** Base64url, without padding. */
  sign(text: string): string {
    state.set(this.#inner)
    absorb(write(text), BLOCK)
    words.fill(0)
    words.set(state)
    words[8] = 1 << 31
    words[15] = 8 * (BLOCK + DIGEST)
    state.set(this.#outer)
    compress()
    return base64Url()
  }
}

const BLOCK = 64
const DIGEST = 32
/** What follows the text in its last block: a bit that ends it, and its length. */
const LEAST_PADDING = 9

// One of each for all: nothing else runs between the start of a signature and its end.
const USUAL_BYTES = 1024
let buffer = new Uint8Array(USUAL_BYTES)
const words = new Int32Array(64)
const state = new Int32Array(8)

const encoder = new TextEncoder()

/** Puts the text at the start of the buffer as UTF-8, with room for the padding; the answer is its length. */
function write(text: string): number {
  const most = Math.max(USUAL_BYTES, 3 * text.length + BLOCK + LEAST_PADDING)
  // What a long text needed, as the body of a report over HTTP, is given back with the next.
  if (most > buffer.length || most === USUAL_BYTES) buffer = bufferOf(most)
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    // To have a plain short text encoded by the runtime costs more than to hash it.
    if (code > 127) return encoder.encodeInto(text, buffer).written
    buffer[i] = code
  }
  return text.length
}

const usualBuffer = buffer

function bufferOf(bytes: number): Uint8Array<ArrayBuffer> {
  return bytes === USUAL_BYTES ? usualBuffer : new Uint8Array(bytes)
}

/** Hashes the first bytes of the buffer to their end; so many were hashed before them. */
function absorb(length: number, before: number): void {
  const end = (Math.floor((length + LEAST_PADDING - 1) / BLOCK) + 1) * BLOCK
  buffer.fill(0, length, end)
  buffer[length] = 0x80
  for (let from = 0; from < end; from += BLOCK) {
    load(buffer, from)
    if (from + BLOCK === end) {
      words[14] = (length + before) / 2 ** 29
      words[15] = (length + before) << 3
    }
    compress()
  }
}

function afterBlock(key: Uint8Array, mask: number): Int32Array {
  state.set(INITIAL)
  load(
    key.map((byte) => byte ^ mask),
    0,
  )
  compress()
  return state.slice()
}

function load(bytes: Uint8Array, from: number): void {
  for (let i = 0, at = from; i < 16; i++, at += 4) {
    words[i] = (bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!
  }
}

/** FIPS 180-4 §6.2.2: takes the block in `words` into `state`. */
function compress(): void {
  for (let i = 16; i < 64; i++) {
    const x = words[i - 15]!
    const y = words[i - 2]!
    const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3)
    const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10)
    words[i] = (s1 + words[i - 7]! + s0 + words[i - 16]!) | 0
  }
  let a = state[0]!
  let b = state[1]!
  let c = state[2]!
  let d = state[3]!
  let e = state[4]!
  let f = state[5]!
  let g = state[6]!
  let h = state[7]!
  for (let i = 0; i < 64; i++) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7))
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10))
    const t1 = (h + s1 + (g ^ (e & (f ^ g))) + ROUNDS[i]! + words[i]!) | 0
    const t2 = (s0 + ((a & b) | (c & (a | b)))) | 0
    h = g
    g = f
    f = e
    e = (d + t1) | 0
    d = c
    c = b
    b = a
    a = (t1 + t2) | 0
  }
  state[0]! += a
  state[1]! += b
  state[2]! += c
  state[3]! += d
  state[4]! += e
  state[5]! += f
  state[6]! += g
  state[7]! += h
}

/** The first 32 bits behind the point of the roots of the first primes (FIPS 180-4 §4.2.2 and §5.3.3). */
const PRIMES = primes(64)
const ROUNDS = Int32Array.from(PRIMES, (prime) => fraction(Math.cbrt(prime)))
const INITIAL = Int32Array.from(PRIMES.slice(0, 8), (prime) => fraction(Math.sqrt(prime)))

function fraction(root: number): number {
  return ((root - Math.floor(root)) * 2 ** 32) | 0
}

function primes(count: number): number[] {
  const found: number[] = []
  for (let n = 2; found.length < count; n++)
    if (found.every((prime) => n % prime > 0)) found.push(n)
  return found
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const CODES = Uint8Array.from(ALPHABET, (letter) => letter.charCodeAt(0))
const letters = new Array<number>(43).fill(0)

/** The state as text: 256 bits, six to a letter. */
function base64Url(): string {
  for (let i = 0; i < letters.length; i++) {
    const bit = 6 * i
    const word = bit >> 5
    const from = bit & 31
    // The letter may reach into the next word; behind the last there are zeros.
    const high = state[word]! << from
    const low = from > 26 ? (state[word + 1] ?? 0) >>> (32 - from) : 0
    letters[i] = CODES[(high | low) >>> 26]!
  }
  return String.fromCharCode.apply(null, letters)
}
