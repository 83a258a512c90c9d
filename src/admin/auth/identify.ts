import type { Secrets } from '../../config/secrets.ts'
import { sameText } from '../../lib/signer.ts'
import { AccessVerifier } from './access-jwt.ts'
import { AdminCookie } from './admin-cookie.ts'
import type { Identity, Role } from './identity.ts'

/** The person behind a token, for the audit log. It is what they say: the token is what counts. */
const OPERATOR_HEADER = 'Tidegate-Operator'
const LONGEST_NAME = 100

/** Finds out who asks: by token, by the cookie of an earlier sign-in, or by Cloudflare Access. */
export class Identification {
  readonly cookie: AdminCookie
  readonly #secrets: Secrets
  readonly #access: AccessVerifier | null

  constructor(secrets: Secrets) {
    this.#secrets = secrets
    this.cookie = new AdminCookie(secrets)
    this.#access = secrets.access === null ? null : new AccessVerifier(secrets.access)
  }

  /** null: nobody that we know. */
  async identify(request: Request, nowMs: number): Promise<Identity | null> {
    const { headers } = request
    const given = headers.get('Authorization')
    if (given !== null) {
      const role = given.startsWith('Bearer ') ? this.roleOf(given.slice('Bearer '.length)) : null
      const by = headers.get(OPERATOR_HEADER)?.trim().slice(0, LONGEST_NAME) || 'token'
      return role === null ? null : { role, by, via: 'token' }
    }
    const signedIn = this.cookie.read(headers.get('Cookie'), nowMs, isSecure(request))
    return signedIn ?? (await this.#access?.identify(request, nowMs)) ?? null
  }

  /** What a token gives access to. Both are compared in full, whichever it is. */
  roleOf(token: string): Role | null {
    const { adminToken, adminReadToken } = this.#secrets
    const isWrite = sameText(adminToken, token)
    const isRead = sameText(adminReadToken ?? adminToken, token) && adminReadToken !== null
    return isWrite ? 'write' : isRead ? 'read' : null
  }
}

export const isSecure = ({ url }: Request): boolean => url.startsWith('https:')
