import { describe, it } from 'vitest'
import { routeProblems } from '../support/config.ts'

/** Patterns of other frameworks are errors that say what to write. */

const remedyOf = (keys: object): string => {
  const [problem, ...more] = routeProblems(keys)
  if (problem === undefined || more.length > 0) throw new Error(`Got ${more.length + 1} problems`)
  return problem.slice(problem.indexOf('. ') + 2)
}

const PATHS: readonly (readonly [string, string | null])[] = [
  ['/items/:id', '/items/*'],
  ['/items/:id/buy', '/items/*/buy'],
  ['/items/{id}', '/items/*'],
  ['/items/[id]', '/items/*'],
  ['/docs/[...slug]', '/docs/*'],
  ['/items/<int:id>', '/items/*'],
  ['^/api/.*$', '/api/*'],
  ['^\\/api\\/.*$', '/api/*'],
  ['/api/.*', '/api/*'],
  ['/api/(.*)', '/api/*'],
  ['/shop/**', '/shop/*'],
  ['/shop/[^/]+/buy', '/shop/*/buy'],
  ['^/(a|b)/.*$', null],
]

describe('a path pattern of another framework', () => {
  it.for(PATHS)('%s is told to be %s', ([path, meant], { expect }) => {
    const remedy = remedyOf({ match: path })
    if (meant === null) expect(remedy).toContain('Write "*" for one whole segment')
    else expect(remedy).toContain(`Write ${JSON.stringify(meant)}:`)
    expect(remedyOf({ bypass: [{ path }] })).toBe(remedy)
  })

  it.for(['/wiki/Foo_(bar)', '/v1/users:batch', '/a.b+c', '/@me', '/price/$5'])(
    '%s is a plain path',
    (path, { expect }) => {
      expect(routeProblems({ match: path })).toEqual([])
    },
  )
})

describe('a value pattern of another framework', () => {
  it.for([
    ['/bot/i', '"*bot*"'],
    ['/^gold$/', '"gold"'],
    ['^gold', '"gold*"'],
    ['.*bot.*', '"*bot*"'],
    ['/bot|crawler/i', '["*bot*", "*crawler*"]'],
  ] as const)('%s is told to be %s', ([value, meant], { expect }) => {
    const remedy = remedyOf({ bypass: [{ header: { 'User-Agent': value } }] })
    expect(remedy).toContain(`Write ${meant}:`)
  })

  it.for(['gold', '/account', 'a/b', '*bot*', 'US$', 'text/*'])(
    '%s is a text',
    (value, { expect }) => {
      const match = { ip: '10.0.0.0/8', header: { 'X-A': value } }
      expect(routeProblems({ bypass: [match] })).toEqual([])
    },
  )
})

/** Remedies never do harm. */
describe('a remedy never does harm', () => {
  it('does not open everything for a regular expression in a bypass', ({ expect }) => {
    const remedy = remedyOf({ bypass: [{ path: /health/ }] })
    expect(remedy).toBe('Write "/health", or "/health/*" with everything below it.')
    expect(remedyOf({ bypass: [{ path: 7 }] })).toBe('Write for example "/healthz".')
    expect(remedyOf({ bypass: [{ path: /^(a|b)$/ }] })).not.toContain('"/*"')
  })

  it('writes http for a local address and for a port of its own', ({ expect }) => {
    expect(remedyOf({ origin: '127.0.0.1:9100' })).toBe('Write "http://127.0.0.1:9100".')
    expect(remedyOf({ origin: 'localhost:3000' })).toBe('Write "http://localhost:3000".')
    expect(remedyOf({ origin: '192.168.1.4' })).toBe('Write "http://192.168.1.4".')
    expect(remedyOf({ origin: 'origin.example.com:8080' })).toBe(
      'Write "http://origin.example.com:8080".',
    )
    expect(remedyOf({ origin: 'origin.example.com:8443' })).toBe(
      'Write "https://origin.example.com:8443".',
    )
    expect(remedyOf({ origin: 'origin.example.com' })).toBe('Write "https://origin.example.com".')
  })

  it('does not turn "without the cookie" into "with the cookie"', ({ expect }) => {
    for (const key of ['cookie', 'header', 'query'])
      expect(remedyOf({ classes: [{ name: 'a', match: { [key]: { m: false } } }] })).toBe(
        'A condition cannot ask for something that is absent. Match the requests that have it, in an earlier class.',
      )
  })

  it('keeps a guarantee that is written with its unit', ({ expect }) => {
    const guaranteed = (value: unknown) => remedyOf({ classes: [{ name: 'a', guaranteed: value }] })
    expect(guaranteed('5/s')).toBe('Write 5.')
    expect(guaranteed('5 rps')).toBe('Write 5.')
    expect(guaranteed('5 per second')).toBe('Write 5.')
    expect(guaranteed('5 requests/s')).toBe('Write 5.')
    expect(guaranteed('300/min')).toBe('Write 5.')
    expect(guaranteed('many')).toBe('Write a rate, for example 5 for 5 per second.')
  })
})
