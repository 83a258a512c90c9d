import { describe, it } from 'vitest'
import { startLocalGate } from '../../tools/local-gate.ts'

const GOOD = { routes: [{ match: '/*', origin: 'http://127.0.0.1:9' }] }
const SECRET = 'a secret that is long enough to be one'
const TOKEN = 'a token that is long enough'

/** The output of the runtime when the Worker does not load. */
async function complaint(config: unknown, secrets?: Record<string, string>): Promise<string> {
  try {
    const gate = await startLocalGate({ config, port: 0, ...(secrets ? { secrets } : {}) })
    await gate.close()
    return 'It started.'
  } catch (error) {
    return String(error)
  }
}

describe('The Worker does not start', () => {
  it('without secrets, and names both and how to set them', async ({ expect }) => {
    const text = await complaint(GOOD, {})
    expect(text).toContain('Tidegate cannot start: 2 problems in the secrets')
    expect(text).toContain('TIDEGATE_SECRET: expected at least 32 characters, got nothing')
    expect(text).toContain('TIDEGATE_ADMIN_TOKEN: expected at least 16 characters, got nothing')
    expect(text).toContain('wrangler secret put TIDEGATE_SECRET')
  })

  it('with only one of them, and names the other', async ({ expect }) => {
    const text = await complaint(GOOD, { TIDEGATE_SECRET: SECRET })
    expect(text).toContain('TIDEGATE_ADMIN_TOKEN: expected')
    expect(text).not.toContain('TIDEGATE_SECRET: expected')
    expect(text).not.toContain(SECRET)
  })

  it('with a wrong configuration, and lists every mistake and contradiction at once', async ({
    expect,
  }) => {
    const secrets = { TIDEGATE_SECRET: SECRET, TIDEGATE_ADMIN_TOKEN: TOKEN }
    const routes = [
      { match: '/*', origin: 'not a url', tickMs: '1s' },
      { match: '/late/*', origin: 'http://127.0.0.1:9', mode: 'on' },
    ]
    const text = await complaint({ routes }, secrets)
    expect(text).toContain('Tidegate cannot start')
    for (const path of [
      'routes[0].origin',
      'routes[0].tickMs',
      'routes[1].mode',
      'routes[1].match',
    ])
      expect(text).toContain(`${path}: expected`)
  })
})
