import { describe, it } from 'vitest'
import { ConfigError } from '../../src/config/errors/problem.ts'
import { loadConfig } from '../../src/config/load.ts'
import { LEARNERS, problems, route, routeProblems } from '../support/config.ts'

function refusal(input: unknown): ConfigError {
  try {
    loadConfig(input, { origin: 'required', learners: LEARNERS })
  } catch (error) {
    if (error instanceof ConfigError) return error
  }
  throw new Error('It was accepted.')
}

describe('the text of a ConfigError', () => {
  it('has one heading if all problems are in one route', ({ expect }) => {
    const config = {
      routes: [
        route({
          match: '/shop/*',
          sla: { targetMs: '500ms' },
          learner: { name: 'aimd', smoothing: 1 },
        }),
      ],
    }
    expect(refusal(config).message).toBe(
      [
        'Tidegate cannot start: 2 problems in route "shop"',
        '  routes[0].sla.targetMs: expected a number from 1 to 120000 (milliseconds), got "500ms" (string). Write 500.',
        '  routes[0].learner.smoothing: expected a number from 0 to below 1, got 1 (number). Leave it out for 0.7.',
      ].join('\n'),
    )
  })

  it('has a heading for each of several routes, and one for the whole configuration', ({
    expect,
  }) => {
    const routes = [route({ match: '/a', mode: 'of' }), route({ name: '!', match: '/b' })]
    expect(refusal({ routes, rotues: [] }).message).toBe(
      [
        'Tidegate cannot start: 3 problems in the configuration, route "a" and routes[1]',
        'in the configuration:',
        '  rotues: expected a known key, got "rotues". Did you mean "routes"?',
        'in route "a":',
        '  routes[0].mode: expected "enforce", "observe" or "off", got "of" (string). Write "off".',
        'in routes[1]:',
        '  routes[1].name: expected 1 to 64 letters, digits, ".", "_" or "-", the first a letter or digit, got "!" (string). Write for example "shop".',
      ].join('\n'),
    )
  })

  it('has a short heading if many routes have problems', ({ expect }) => {
    const routes = ['/a', '/b', '/c', '/d'].map((match) => route({ match, mode: 0 }))
    expect(refusal({ routes }).message.split('\n')[0]).toBe(
      'Tidegate cannot start: 4 problems in the configuration',
    )
  })

  it('comes with the problems as data', ({ expect }) => {
    const error = refusal({ routes: [route({ tickMs: 1 })] })
    expect(error.name).toBe('ConfigError')
    expect(error.problems).toEqual([
      {
        route: 'route "site"',
        path: 'routes[0].tickMs',
        expected: 'a whole number from 100 to 60000 (milliseconds)',
        found: '1 (number)',
        remedy: 'Write 1000 for 1 s: it is in milliseconds.',
      },
    ])
  })
})

describe('all problems at once', () => {
  it('reports contradictions together with bad values', ({ expect }) => {
    const classes = [
      { name: 'gold', match: { path: '/gold' } },
      { name: 'gold', match: { path: '/g' } },
    ]
    const session = { idleMs: 'long' }
    expect(routeProblems({ classes, session, refusal: { retryMinS: 60 }, tickMs: null })).toEqual([
      'session.idleMs: expected a whole number from 1000 to 604800000 (milliseconds), got "long" (string). Leave it out for 1800000.',
      'tickMs: expected a whole number from 100 to 60000 (milliseconds), got null. Leave it out for 1000.',
      'refusal.retryMinS: expected at most refusal.retryMaxS, which is 15 by default, got 60 (number). Write a lower refusal.retryMinS or a higher refusal.retryMaxS.',
      'classes[1].name: expected a name of its own, got "gold" (string), which is the name of classes[0] too. Write another name.',
    ])
  })

  it('does not report a contradiction that follows from a bad value', ({ expect }) => {
    // Without a match these two have neither a name nor a cookie that could be equal.
    const wrong = 'expected a pattern such as "/shop/*" or "shop.example.com/*", or { host, path }'
    expect(problems({ routes: [route({ match: 1 }), route({ match: 2 })] })).toEqual([
      `routes[0].match: ${wrong}, got 1 (number). Write "/*" for everything.`,
      `routes[1].match: ${wrong}, got 2 (number). Write "/*" for everything.`,
    ])
  })
})

describe('an unknown key', () => {
  it.for([
    ['tickMS', 'tickMs'],
    ['tick', 'tickMs'],
    ['orgin', 'origin'],
    ['class', 'classes'],
    ['learners', 'learner'],
  ] as const)('%s: did you mean %s?', ([key, meant], { expect }) => {
    expect(routeProblems({ [key]: 1 })).toEqual([
      `${key}: expected a known key, got "${key}". Did you mean "${meant}"?`,
    ])
  })

  it('lists the known keys if none is near', ({ expect }) => {
    expect(routeProblems({ session: { lifetime: 5 } })).toEqual([
      'session.lifetime: expected a known key, got "lifetime". Known keys here: idleMs, maxAgeMs, cookie, sameSite, keepObserved, maxRate, maxRangeRate.',
    ])
  })

  it('is an error also if every JavaScript object has it', ({ expect }) => {
    const config = JSON.parse(
      '{ "routes": [{ "match": "/*", "origin": "http://o", "__proto__": 1, "toString": 2 }] }',
    )
    expect(problems(config).map((line) => line.split('. ')[0])).toEqual([
      'routes[0].__proto__: expected a known key, got "__proto__"',
      'routes[0].toString: expected a known key, got "toString"',
    ])
  })
})
