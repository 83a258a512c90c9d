import type { AccessSettings } from '../../config/secrets.ts'
import type { Identity } from './identity.ts'

/** Cloudflare Access adds this header to requests of those who have signed in. */
const HEADER = 'Cf-Access-Jwt-Assertion'
const KEYS_GOOD_FOR_MS = 3_600_000
/** An unknown key may be a new one, but asking for the keys again and again would be an attack's amplifier. */
const KEYS_AGAIN_AFTER_MS = 60_000
const CLOCK_SKEW_S = 60

type Fetch = (url: string) => Promise<Response>

interface Claims {
  readonly aud?: unknown
  readonly iss?: unknown
  readonly exp?: unknown
  readonly nbf?: unknown
  readonly email?: unknown
  readonly common_name?: unknown
}

/** Verifies the tokens of Cloudflare Access: signed by the team (RS256), for this application, and not expired. */
export class AccessVerifier {
  readonly #settings: AccessSettings
  readonly #fetch: Fetch
  #keys: ReadonlyMap<string, CryptoKey> = new Map()
  #fetchedAtMs = Number.NEGATIVE_INFINITY

  constructor(settings: AccessSettings, fetchKeys: Fetch = (url) => fetch(url)) {
    this.#settings = settings
    this.#fetch = fetchKeys
  }

  async identify(request: Request, nowMs: number): Promise<Identity | null> {
    const token = request.headers.get(HEADER)
    if (token === null) return null
    try {
      return await this.#verify(token, nowMs)
    } catch {
      // It has not the form of a token, or the keys cannot be fetched.
      return null
    }
  }

  async #verify(token: string, nowMs: number): Promise<Identity | null> {
    const [head = '', body = '', signature = '', ...more] = token.split('.')
    if (more.length > 0) return null
    const { alg, kid } = parsePart(head) as { alg?: unknown; kid?: unknown }
    if (alg !== 'RS256' || typeof kid !== 'string') return null
    const key = await this.#key(kid, nowMs)
    if (key === undefined) return null
    const signed = new TextEncoder().encode(`${head}.${body}`)
    if (!(await crypto.subtle.verify(ALGORITHM.name, key, bytesOf(signature), signed))) return null
    const claims = parsePart(body) as Claims
    if (!this.#isForUs(claims, nowMs / 1000)) return null
    // A service token has a name instead of an e-mail address.
    const by = claims.email ?? claims.common_name
    return typeof by === 'string' && by !== '' ? { role: 'write', by, via: 'access' } : null
  }

  #isForUs({ aud, iss, exp, nbf }: Claims, nowS: number): boolean {
    const { team, audience } = this.#settings
    const isAudience = Array.isArray(aud) ? aud.includes(audience) : aud === audience
    const isCurrent = typeof exp === 'number' && nowS < exp + CLOCK_SKEW_S
    const hasBegun = nbf === undefined || (typeof nbf === 'number' && nowS > nbf - CLOCK_SKEW_S)
    return isAudience && iss === team && isCurrent && hasBegun
  }

  async #key(id: string, nowMs: number): Promise<CryptoKey | undefined> {
    const ageMs = nowMs - this.#fetchedAtMs
    if (ageMs > KEYS_GOOD_FOR_MS || (!this.#keys.has(id) && ageMs > KEYS_AGAIN_AFTER_MS)) {
      this.#fetchedAtMs = nowMs
      const response = await this.#fetch(`${this.#settings.team}/cdn-cgi/access/certs`)
      const { keys } = (await response.json()) as { keys: (JsonWebKey & { kid: string })[] }
      const imported = keys.map(
        async (jwk) =>
          [
            jwk.kid,
            await crypto.subtle.importKey('jwk', jwk, ALGORITHM, false, ['verify']),
          ] as const,
      )
      this.#keys = new Map(await Promise.all(imported))
    }
    return this.#keys.get(id)
  }
}

const ALGORITHM = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' } as const

function parsePart(part: string): unknown {
  return JSON.parse(new TextDecoder().decode(bytesOf(part)))
}

function bytesOf(base64url: string): Uint8Array<ArrayBuffer> {
  const binary = atob(base64url.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(binary, (character) => character.charCodeAt(0))
}
