import { describe, it } from 'vitest'
import { ConfigError } from '../../src/config/errors/problem.ts'
import { readSecrets, readSigningSecrets, type SecretsEnv } from '../../src/config/secrets.ts'

const SECRET = 'f'.repeat(32)
const OLD = 'e'.repeat(32)
const TOKEN = 't'.repeat(16)

function refusal(env: SecretsEnv): readonly string[] {
  try {
    readSecrets(env)
  } catch (error) {
    if (error instanceof ConfigError) return error.message.split('\n')
  }
  return []
}

const set = (name: string) =>
  `Make one with "openssl rand -hex 32". Locally, write ${name}=… into .dev.vars; for a deployment, run "npx wrangler secret put ${name}".`

describe('the secrets', () => {
  it('are read from the environment', ({ expect }) => {
    expect(readSecrets({ TIDEGATE_SECRET: SECRET, TIDEGATE_ADMIN_TOKEN: TOKEN })).toEqual({
      current: SECRET,
      previous: null,
      adminToken: TOKEN,
      adminReadToken: null,
      access: null,
    })
  })

  it('may be two for signing while one is replaced; an empty one counts as missing', ({
    expect,
  }) => {
    const env = { TIDEGATE_SECRET: SECRET, TIDEGATE_ADMIN_TOKEN: TOKEN }
    expect(readSecrets({ ...env, TIDEGATE_SECRET_PREVIOUS: OLD }).previous).toBe(OLD)
    expect(readSecrets({ ...env, TIDEGATE_SECRET_PREVIOUS: '' }).previous).toBeNull()
  })

  it('need no admin token behind the middleware', ({ expect }) => {
    expect(readSigningSecrets({ TIDEGATE_SECRET: SECRET })).toEqual({
      current: SECRET,
      previous: null,
    })
    expect(() => readSigningSecrets({})).toThrow(/^Tidegate cannot start: 1 problem in the secrets/)
  })

  it('are asked for where they are set: .dev.vars, wrangler, or the environment', ({ expect }) => {
    expect(() => readSigningSecrets({}, 'worker')).toThrow(
      /TIDEGATE_SECRET=… into \.dev\.vars; .* "npx wrangler secret put TIDEGATE_SECRET"/,
    )
    expect(() => readSigningSecrets({}, 'process')).toThrow(
      /set TIDEGATE_SECRET in the environment, and pass env: process\.env to tidegate\(\)/,
    )
    const env = { TIDEGATE_SECRET: SECRET, TIDEGATE_SECRET_PREVIOUS: 'short' }
    expect(() => readSigningSecrets(env, 'process')).not.toThrow(/wrangler/)
  })

  it('are reported all at once if they are missing', ({ expect }) => {
    expect(refusal({})).toEqual([
      'Tidegate cannot start: 2 problems in the secrets',
      `  TIDEGATE_SECRET: expected at least 32 characters, got nothing. ${set('TIDEGATE_SECRET')}`,
      `  TIDEGATE_ADMIN_TOKEN: expected at least 16 characters, got nothing. ${set('TIDEGATE_ADMIN_TOKEN')}`,
    ])
  })

  it('have a minimum length', ({ expect }) => {
    const env = {
      TIDEGATE_SECRET: SECRET.slice(1),
      TIDEGATE_SECRET_PREVIOUS: 'short',
      TIDEGATE_ADMIN_TOKEN: TOKEN.slice(1),
    }
    expect(refusal(env).slice(1)).toEqual([
      `  TIDEGATE_SECRET: expected at least 32 characters, got 31. ${set('TIDEGATE_SECRET')}`,
      '  TIDEGATE_SECRET_PREVIOUS: expected at least 32 characters, got 5. Set the whole value that TIDEGATE_SECRET had before, or remove it from .dev.vars or with "npx wrangler secret delete TIDEGATE_SECRET_PREVIOUS".',
      `  TIDEGATE_ADMIN_TOKEN: expected at least 16 characters, got 15. ${set('TIDEGATE_ADMIN_TOKEN')}`,
    ])
  })

  it('may be the same while one is replaced, because each change takes effect at once', ({
    expect,
  }) => {
    const env = { TIDEGATE_SECRET: SECRET, TIDEGATE_SECRET_PREVIOUS: SECRET }
    expect(readSigningSecrets(env)).toEqual({ current: SECRET, previous: null })
  })

  it('must differ from the admin token', ({ expect }) => {
    const env = { TIDEGATE_SECRET: SECRET, TIDEGATE_ADMIN_TOKEN: SECRET }
    expect(refusal(env).slice(1)).toEqual([
      `  TIDEGATE_ADMIN_TOKEN: expected a value of its own, got that of another secret. ${set('TIDEGATE_ADMIN_TOKEN')}`,
    ])
  })

  it('are never in the error text', ({ expect }) => {
    const env = {
      TIDEGATE_SECRET: 'hunter2',
      TIDEGATE_SECRET_PREVIOUS: { hunter2: 'hunter2' },
      TIDEGATE_ADMIN_TOKEN: 'hunter2',
    }
    expect(refusal(env)).toHaveLength(5)
    expect(refusal(env).join('\n')).not.toContain('hunter2')
    expect(refusal(env)[2]).toContain('got a value that is not a text (object)')
  })
})
