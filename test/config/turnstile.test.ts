import { describe, it } from 'vitest'
import { resolveConfig } from '../../src/config/load.ts'
import { readTurnstileSecret } from '../../src/config/secrets.ts'
import { LEARNER_OPTIONS } from '../../src/learners/option-tables.ts'

const resolved = (waitingRoom: object, keys: object = {}) =>
  resolveConfig(
    {
      routes: [
        {
          match: '/*',
          origin: 'https://origin.example.com',
          whenFull: 'queue',
          waitingRoom,
          ...keys,
        },
      ],
    },
    { origin: 'required', learners: LEARNER_OPTIONS },
  )

const problemsOf = (waitingRoom: object, keys: object = {}) => {
  const resolution = resolved(waitingRoom, keys)
  return resolution.ok
    ? []
    : resolution.problems.map(({ path, expected }) => `${path}: ${expected}`)
}

const turnstile = { siteKey: '0x4AAAAAAADnPID' }

describe('waitingRoom.turnstile', () => {
  it('needs a site key, and nothing else', ({ expect }) => {
    expect(problemsOf({ turnstile })).toEqual([])
    expect(problemsOf({ turnstile: {} })).toHaveLength(1)
    expect(problemsOf({ turnstile: { siteKey: '"><script>' } })[0]).toContain('siteKey')
    expect(problemsOf({ turnstile: { ...turnstile, url: 'javascript:1' } })[0]).toContain('url')
  })

  it('needs sessions, and a place for the widget on an own page', ({ expect }) => {
    expect(problemsOf({ turnstile }, { granularity: 'request' })[0]).toContain(
      'Turnstile needs granularity: "session"',
    )
    const page = '<p>{{place}} {{wait}}</p>'
    expect(problemsOf({ turnstile, page })[0]).toContain('{{challenge}}')
    expect(problemsOf({ turnstile, page: `${page}{{challenge}}` })).toEqual([])
  })

  it('needs a secret in the environment, and says how to set it, without its value', ({
    expect,
  }) => {
    const resolution = resolved({ turnstile })
    if (!resolution.ok) throw new Error('The configuration is wrong')
    const { config } = resolution
    const secret = '1x0000000000000000000000000000000AA'
    expect(readTurnstileSecret({ TIDEGATE_TURNSTILE_SECRET: secret }, config)).toBe(secret)
    expect(() => readTurnstileSecret({}, config)).toThrow(
      /TIDEGATE_TURNSTILE_SECRET: expected the secret key of the widget.*nothing.*wrangler secret put TIDEGATE_TURNSTILE_SECRET/s,
    )
    expect(() => readTurnstileSecret({ TIDEGATE_TURNSTILE_SECRET: 'short' }, config)).not.toThrow(
      /short/,
    )
    expect(readTurnstileSecret({}, { routes: [] })).toBe(null)
  })
})
