import { SIGNATURE_CHARACTERS, type Signer } from '../lib/signer.ts'

/** A signed token that a site gives to a visitor: it puts the visitor into a class, or past the queue. */
export interface Pass {
  /** Unique. A pass for one use is marked as used under it. */
  readonly id: string
  readonly route: string
  /** null: the class rules decide. */
  readonly class: string | null
  /** Whose pass it is. Each key holds one place or session at a time; null: the pass is nobody's. */
  readonly key: string | null
  readonly expiresAtMs: number
  /** It works for the first visitor who presents it, and for nobody else. */
  readonly once: boolean
  /** Admitted without a draw and without waiting. */
  readonly skip: boolean
}

const VERSION = '1'
const PURPOSE = 'pass'
export const LONGEST_PASS = 600
const ONCE = 'o'
const SKIP = 's'
/** Stands for null: an empty name is none. */
const NONE = ''

export function signPass(pass: Pass, signer: Signer): string {
  const { id, route, expiresAtMs, once, skip } = pass
  const flags = `${once ? ONCE : ''}${skip ? SKIP : ''}`
  const parts = [route, pass.class ?? NONE, pass.key ?? NONE].map(encoded)
  const text = [VERSION, id, expiresAtMs.toString(36), flags, ...parts].join('.')
  return `${text}.${signer.sign(PURPOSE, text)}`
}

/** null: forged, or of another form. Route and time are not checked here. */
export function readPass(token: string, signer: Signer): Pass | null {
  const dot = token.length - SIGNATURE_CHARACTERS - 1
  if (token.length > LONGEST_PASS || token.charAt(dot) !== '.') return null
  const text = token.substring(0, dot)
  const pass = parsePass(text)
  if (pass === null || !signer.verify(PURPOSE, text, token.substring(dot + 1))) return null
  return pass
}

function parsePass(text: string): Pass | null {
  const [version, id = '', expires = '', flags = '', ...names] = text.split('.')
  if (version !== VERSION || id === '' || names.length !== 3) return null
  try {
    const [route = '', className = '', key = ''] = names.map(decodeURIComponent)
    return {
      id,
      route,
      class: className === NONE ? null : className,
      key: key === NONE ? null : key,
      expiresAtMs: Number.parseInt(expires, 36),
      once: flags.includes(ONCE),
      skip: flags.includes(SKIP),
    }
  } catch {
    // A name is not validly encoded.
    return null
  }
}

const encoded = (name: string): string => encodeURIComponent(name).replaceAll('.', '%2E')
