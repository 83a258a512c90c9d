import type { Secrets } from '../../config/secrets.ts'
import { Signer } from '../../lib/signer.ts'
import type { Identity, Role } from './identity.ts'

/** A working day and a bit. */
const LIFE_S = 12 * 3600
const PURPOSE = 'admin cookie'

/**
 * The cookie of an operator who has signed in with a token. It holds no token. It is sent to the paths of the
 * admin app only, so it never reaches the origin. A new token ends the sign-ins with the old one.
 */
export class AdminCookie {
  readonly #signer: Signer
  readonly #tokens: Readonly<Record<Role, string | null>>

  constructor(secrets: Secrets) {
    this.#signer = new Signer(secrets)
    this.#tokens = { write: secrets.adminToken, read: secrets.adminReadToken }
  }

  /** `Set-Cookie` after signing in. */
  write({ role, by }: Pick<Identity, 'role' | 'by'>, nowMs: number, isSecure: boolean): string {
    const text = `${role}.${(nowMs + LIFE_S * 1000).toString(36)}.${encodeName(by)}`
    const signature = this.#signer.sign(PURPOSE, this.#signed(text, role))
    return setCookie(`${text}.${signature}`, LIFE_S, isSecure)
  }

  /** `Set-Cookie` after signing out. */
  clear(isSecure: boolean): string {
    return setCookie('', 0, isSecure)
  }

  /** Who signed in; null: there is no valid cookie. */
  read(header: string | null, nowMs: number, isSecure: boolean): Identity | null {
    for (const value of cookieValues(header, nameOf(isSecure))) {
      const identity = this.#verified(value, nowMs)
      if (identity !== null) return identity
    }
    return null
  }

  #verified(value: string, nowMs: number): Identity | null {
    const dot = value.lastIndexOf('.')
    if (dot < 0) return null
    const text = value.slice(0, dot)
    const [role, until = '', name = ''] = text.split('.')
    if (role !== 'read' && role !== 'write') return null
    if (this.#tokens[role] === null || !(Number.parseInt(until, 36) > nowMs)) return null
    if (!this.#signer.verify(PURPOSE, this.#signed(text, role), value.slice(dot + 1))) return null
    return { role, by: decodeURIComponent(name), via: 'cookie' }
  }

  #signed(text: string, role: Role): string {
    return `${text}\n${this.#tokens[role]}`
  }
}

/** On http, as in local development, browsers refuse the prefix. */
const nameOf = (isSecure: boolean): string => `${isSecure ? '__Secure-' : ''}tidegate-admin`

/** Half of a surrogate pair cannot be encoded. */
const encodeName = (name: string): string =>
  encodeURIComponent(name.toWellFormed()).replaceAll('.', '%2E')

function setCookie(value: string, ageS: number, isSecure: boolean): string {
  const secure = isSecure ? '; Secure' : ''
  return `${nameOf(isSecure)}=${value}; Path=/_tidegate/; Max-Age=${ageS}; HttpOnly; SameSite=Strict${secure}`
}

/** Another host of the domain can plant cookies of this name. They must not hide the real one, nor cost much. */
const MOST_VERIFIED = 32

function cookieValues(header: string | null, name: string): readonly string[] {
  const values: string[] = []
  for (const pair of header?.split(';') ?? []) {
    const [key = '', ...rest] = pair.split('=')
    if (key.trim() === name) values.push(rest.join('=').trim())
  }
  return values.slice(0, MOST_VERIFIED)
}
