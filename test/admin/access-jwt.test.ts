import { generateKeyPairSync, sign } from 'node:crypto'
import { describe, it } from 'vitest'
import { AccessVerifier } from '../../src/admin/auth/access-jwt.ts'

const TEAM = 'https://team.cloudflareaccess.com'
const AUDIENCE = 'a'.repeat(64)
const NOW_MS = 1_800_000_000_000

const KEYS = generateKeyPairSync('rsa', { modulusLength: 2048 })
const OTHERS = generateKeyPairSync('rsa', { modulusLength: 2048 })

const CLAIMS = {
  ...{ aud: [AUDIENCE], iss: TEAM, email: 'ada@example.com' },
  ...{ exp: NOW_MS / 1000 + 600, nbf: NOW_MS / 1000 - 600 },
}

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

function tokenOf(claims: object, head: object = { alg: 'RS256', kid: 'one' }, keys = KEYS): string {
  const text = `${encoded(head)}.${encoded(claims)}`
  const signature = sign('sha256', Buffer.from(text), keys.privateKey).toString('base64url')
  return `${text}.${signature}`
}

function verifierOf() {
  const fetched: string[] = []
  const jwk = { ...KEYS.publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'RS256' }
  const verifier = new AccessVerifier({ team: TEAM, audience: AUDIENCE }, async (url) => {
    fetched.push(url)
    return Response.json({ keys: [jwk] })
  })
  const identify = (token: string, nowMs = NOW_MS) =>
    verifier.identify(
      new Request('https://gate.example.com/', { headers: { 'Cf-Access-Jwt-Assertion': token } }),
      nowMs,
    )
  return { identify, fetched }
}

describe('a token of Cloudflare Access', () => {
  it('gives the name of the operator', async ({ expect }) => {
    const { identify, fetched } = verifierOf()
    expect(await identify(tokenOf(CLAIMS))).toEqual({
      ...{ role: 'write', by: 'ada@example.com', via: 'access' },
    })
    expect(fetched).toEqual([`${TEAM}/cdn-cgi/access/certs`])
  })

  it('of a service has its name', async ({ expect }) => {
    const { email: _, ...claims } = CLAIMS
    expect(await verifierOf().identify(tokenOf({ ...claims, common_name: 'prometheus' }))).toEqual({
      ...{ role: 'write', by: 'prometheus', via: 'access' },
    })
  })

  it('is refused if it is for others, expired, not yet valid, unsigned or signed by others', async ({
    expect,
  }) => {
    const { identify } = verifierOf()
    const [head, body] = tokenOf(CLAIMS).split('.')
    const wrong: Readonly<Record<string, string>> = {
      audience: tokenOf({ ...CLAIMS, aud: ['another'] }),
      issuer: tokenOf({ ...CLAIMS, iss: 'https://other.cloudflareaccess.com' }),
      expired: tokenOf({ ...CLAIMS, exp: NOW_MS / 1000 - 61 }),
      'without an end': tokenOf({ ...CLAIMS, exp: undefined }),
      'too early': tokenOf({ ...CLAIMS, nbf: NOW_MS / 1000 + 61 }),
      'other key': tokenOf(CLAIMS, undefined, OTHERS),
      'unknown key': tokenOf(CLAIMS, { alg: 'RS256', kid: 'two' }),
      'no algorithm': tokenOf(CLAIMS, { alg: 'none', kid: 'one' }),
      'other algorithm': tokenOf(CLAIMS, { alg: 'HS256', kid: 'one' }),
      nameless: tokenOf({ ...CLAIMS, email: undefined }),
      unsigned: `${head}.${body}.`,
      'no token': 'x',
      'four parts': `${tokenOf(CLAIMS)}.x`,
    }
    for (const [name, token] of Object.entries(wrong))
      expect(await identify(token), name).toBeNull()
  })

  it('fetches the keys once an hour, and for unknown keys at most once a minute', async ({
    expect,
  }) => {
    const { identify, fetched } = verifierOf()
    for (let i = 0; i < 5; i++) await identify(tokenOf(CLAIMS))
    const unknown = tokenOf(CLAIMS, { alg: 'RS256', kid: 'two' })
    for (let i = 0; i < 5; i++) await identify(unknown, NOW_MS + 30_000)
    expect(fetched).toHaveLength(1)
    await identify(unknown, NOW_MS + 61_000)
    expect(fetched).toHaveLength(2)
    await identify(tokenOf(CLAIMS), NOW_MS + 61_000 + 3_600_001)
    expect(fetched).toHaveLength(3)
  })
})
