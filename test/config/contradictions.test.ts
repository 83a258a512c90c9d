import { describe, it } from 'vitest'
import { ORIGIN, problems, route, routeProblems } from '../support/config.ts'

type Case = readonly [keys: object, problem: string]

const order: readonly Case[] = [
  [
    { refusal: { retryMinS: 20 } },
    'refusal.retryMinS: expected at most refusal.retryMaxS, which is 15 by default, got 20 (number). Write a lower refusal.retryMinS or a higher refusal.retryMaxS.',
  ],
  [
    { refusal: { retryMaxS: 3 } },
    'refusal.retryMaxS: expected at least refusal.retryMinS, which is 5 by default, got 3 (number). Write a lower refusal.retryMinS or a higher refusal.retryMaxS.',
  ],
  [
    { refusal: { retryMinS: 9, retryMaxS: 8 } },
    'refusal.retryMinS: expected at most refusal.retryMaxS, which is 8, got 9 (number). Write a lower refusal.retryMinS or a higher refusal.retryMaxS.',
  ],
  [
    { session: { idleMs: 60_000, maxAgeMs: 30_000 } },
    'session.idleMs: expected at most session.maxAgeMs, which is 30000, got 60000 (number). Write a lower session.idleMs or a higher session.maxAgeMs.',
  ],
  [
    { tickMs: 5000, sla: { windowMs: 2000 } },
    'tickMs: expected at most sla.windowMs, which is 2000, got 5000 (number). Write a lower tickMs or a higher sla.windowMs.',
  ],
  [
    { sla: { targetMs: 40_000 } },
    'sla.targetMs: expected at most origin.timeoutMs, which is 30000 by default, got 40000 (number). Write a lower sla.targetMs or a higher origin.timeoutMs.',
  ],
  [
    { origin: { url: ORIGIN, timeoutMs: 500 } },
    'origin.timeoutMs: expected at least sla.targetMs, which is 1000 by default, got 500 (number). Write a lower sla.targetMs or a higher origin.timeoutMs.',
  ],
  [
    { learner: { name: 'aimd', min: 50, max: 10 } },
    'learner.min: expected at most max, which is 10, got 50 (number). Write a lower min or a higher max.',
  ],
]

const steps: readonly Case[] = [
  [
    { whenFull: ['queue', 'refuse'] },
    'whenFull[1]: expected nothing after "queue", which answers every request, got "refuse" (string). Write it before "queue", or leave it out.',
  ],
  [
    { whenFull: ['degrade', 'degrade'], degrade: { stored: true } },
    'whenFull[1]: expected each step once, got "degrade" (string) a second time. Leave it out.',
  ],
  [
    { whenFull: ['degrade', 'refuse'] },
    'degrade: expected how, because whenFull has "degrade", got nothing. Write for example degrade: { quality: {} }.',
  ],
  [
    { redirect: { to: 'https://eu.example.com' } },
    'redirect: expected nothing, because whenFull does not have "redirect", got a value. Write whenFull: ["redirect", "refuse"], or leave it out.',
  ],
  [
    { whenFull: 'degrade', degrade: {} },
    'degrade: expected at least one of quality, stored and lighter, got {}. Write for example { quality: {} }.',
  ],
  [
    { whenFull: 'degrade', degrade: { lighter: {} } },
    'degrade.lighter: expected an origin, a path, or both, got {}. Write for example { path: "/lite/*" }.',
  ],
]

const table: readonly Case[] = [
  [
    { sla: { table: [{ fromRate: 100, targetMs: 1000 }] } },
    'sla.table[0].fromRate: expected 0, because the first row applies from the start, got 100 (number). Write 0, or put a row with fromRate: 0 before it.',
  ],
  [
    {
      sla: {
        table: [
          { fromRate: 0, targetMs: 1000 },
          { fromRate: 100, targetMs: 2000 },
          { fromRate: 100, targetMs: 3000 },
        ],
      },
    },
    'sla.table[2].fromRate: expected a number above 100, which is the rate of the row before, got 100 (number). Write the rows in ascending order, each rate once.',
  ],
  [
    { sla: { targetMs: 500, table: [{ fromRate: 0, targetMs: 1000 }] } },
    'sla.targetMs: expected no "targetMs" beside "table", got 500 (number). Write it as the row from rate 0.',
  ],
  [
    { sla: { table: [{ fromRate: 0, targetMs: 31_000 }] } },
    'sla.table[0].targetMs: expected at most origin.timeoutMs, which is 30000 by default, got 31000 (number). Write a lower sla.table[0].targetMs or a higher origin.timeoutMs.',
  ],
]

const SEARCH = { name: 'search', match: { path: '/search' } }

const classSlas: readonly Case[] = [
  [
    { classes: [{ ...SEARCH, sla: { targetMs: 40_000 } }] },
    'classes[0].sla.targetMs: expected at most origin.timeoutMs, which is 30000 by default, got 40000 (number). Write a lower classes[0].sla.targetMs or a higher origin.timeoutMs.',
  ],
  [
    {
      classes: [
        {
          ...SEARCH,
          sla: {
            table: [
              { fromRate: 0, targetMs: 1000 },
              { fromRate: 100, targetMs: 2000 },
              { fromRate: 50, targetMs: 3000 },
            ],
          },
        },
      ],
    },
    'classes[0].sla.table[2].fromRate: expected a number above 100, which is the rate of the row before, got 50 (number). Write the rows in ascending order, each rate once.',
  ],
  [
    { tickMs: 5000, classes: [{ ...SEARCH, sla: { targetMs: 500, windowMs: 2000 } }] },
    'tickMs: expected at most classes[0].sla.windowMs, which is 2000, got 5000 (number). Write a lower tickMs or a higher classes[0].sla.windowMs.',
  ],
]

const learner: readonly Case[] = [
  [
    { learner: 'amid' },
    'learner: expected a learner: "aimd", "soc-lqr" or "fixed", got "amid" (string). Write "aimd".',
  ],
  [
    { learner: { name: 'neural' } },
    'learner.name: expected a learner: "aimd", "soc-lqr" or "fixed", got "neural" (string). Write one of them.',
  ],
  [
    { learner: { smoothing: 0.5 } },
    'learner.name: expected the name of a learner, or { name, … } with its options, got nothing. Leave it out for "soc-lqr".',
  ],
  [
    { learner: { name: 'aimd', smoothing: 1 } },
    'learner.smoothing: expected a number from 0 to below 1, got 1 (number). Leave it out for 0.7.',
  ],
  [
    { learner: { name: 'aimd', decrease: '1.5' } },
    'learner.decrease: expected a number above 1, got "1.5" (string). Write 1.5.',
  ],
  [
    { learner: { name: 'aimd', multiclass: 1 } },
    'learner.multiclass: expected true or false, got 1 (number). Leave it out for false.',
  ],
  [
    { learner: { name: 'aimd', smoothign: 0.5 } },
    'learner.smoothign: expected an option of the learner "aimd", got "smoothign". Did you mean "smoothing"?',
  ],
  [
    { learner: { name: 'fixed', speed: 0.5 } },
    'learner.speed: expected an option of the learner "fixed", got "speed". Its options: limit.',
  ],
]

const classes: readonly Case[] = [
  [
    { classes: [{ name: 'a', match: { path: '/a' } }, { name: 'a' }] },
    'classes[1].name: expected a name of its own, got "a" (string), which is the name of classes[0] too. Write another name.',
  ],
  [
    { classes: [{ name: 'a' }, { name: 'b', match: { path: '/b' } }] },
    'classes[1].match: expected requests that no earlier class takes, got only ones that classes[0] ("a") takes. Write this class before classes[0], or leave it out.',
  ],
  [
    { classes: [{ name: 'default', match: { path: '/a' } }] },
    'classes[0].name: expected another name, because "default" is the class for requests that match no other class, got "default" (string). Write another name, or leave out its match and put it last.',
  ],
  [
    { match: '/shop/*', classes: [{ name: 'a', match: { path: '/checkout' } }] },
    'classes[0].match.path: expected paths within the route\'s "/shop/*", got "/checkout" (string). Write the whole path, for example "/shop/checkout/*", or leave it out.',
  ],
  [
    { match: '/_tidegate/api/*' },
    'match: expected a path outside "/_tidegate/*", which Tidegate answers itself, got "/_tidegate/api/*". Leave this route out.',
  ],
  [
    { bypass: [{ pass: true }] },
    'bypass[0].pass: expected no condition on a pass, because a bypass is not counted and a pass is, got true (boolean). Give the pass "skip" instead: mintPass({ skip: true, … }).',
  ],
  [
    { bypass: [{ tier: 'db' }] },
    'bypass[0].tier: expected no condition on a tier, because a bypass is not measured, got "db" (string). Write a path instead.',
  ],
  [
    { bypass: [{ path: '/*' }] },
    'bypass[0]: expected conditions that only some requests of the route meet, got conditions that all of them meet. Write mode: "off" to let everything through, or leave it out.',
  ],
  [
    { origin: { servers: [{ url: ORIGIN }, { url: `${ORIGIN}:443` }] } },
    `origin.servers[1].url: expected each server once, got "${ORIGIN}" (string), which is servers[0] too. Write it once, with the sum of the weights.`,
  ],
]

describe.for([
  ['a minimum above its maximum', order],
  ['the steps when the site is full', steps],
  ['the table of targets', table],
  ['the agreement of a class', classSlas],
  ['the learner', learner],
  ['classes, bypass and servers', classes],
] as const)('a contradiction within a route: %s', ([, cases]) => {
  it.for(cases)('%j', ([keys, problem], { expect }) => {
    expect(routeProblems(keys)).toEqual([problem])
  })
})

describe('a contradiction between routes', () => {
  const second = (first: object, keys: object) =>
    problems({ routes: [route({ match: '/a/*', ...first }), route({ match: '/b/*', ...keys })] })
  const lead = `because both lead to "${ORIGIN}"`

  it('the same name twice, also if one is made from the match', ({ expect }) => {
    expect(second({}, { name: 'a' })).toEqual([
      'routes[1].name: expected a name of its own, got "a" (string), which is the name of routes[0] too. Write for example "a-2".',
      'routes[1].session.cookie: expected a cookie of its own, got "tidegate-a", which routes[0] uses too. Write another name, or leave it out.',
    ])
    expect(second({ name: 'b' }, { session: { cookie: 'gate' } })).toEqual([
      'routes[1].name: expected a name of its own, got nothing, and "b", made from its match, is the name of routes[0] too. Write for example "b-2".',
    ])
  })

  it('a route after one that takes all its requests', ({ expect }) => {
    expect(second({ match: '/*' }, { match: 'shop.example.com/cart' })).toEqual([
      'routes[1].match: expected requests that no earlier route takes, got "shop.example.com/cart", all of which routes[0] takes. Write this route before routes[0], or leave it out.',
    ])
  })

  it('one origin with two tick lengths', ({ expect }) => {
    expect(second({}, { tickMs: 500 })).toEqual([
      `routes[1].tickMs: expected 1000 as in routes[0], ${lead}, got 500 (number). Write 1000.`,
    ])
    expect(second({ tickMs: 500 }, {})).toEqual([
      `routes[1].tickMs: expected 500 as in routes[0], ${lead}, got the default, 1000. Write 500.`,
    ])
  })

  it('one origin with two learners, or with different options', ({ expect }) => {
    const same = 'Write the same learner in both.'
    expect(second({}, { learner: 'fixed' })).toEqual([
      `routes[1].learner: expected the same learner and options as in routes[0], ${lead}, got "fixed" (string). ${same}`,
    ])
    expect(second({ learner: { name: 'aimd', smoothing: 0.5 } }, {})).toEqual([
      `routes[1].learner: expected the same learner and options as in routes[0], ${lead}, got the default, "soc-lqr". ${same}`,
    ])
    expect(second({ learner: { name: 'soc-lqr', floor: 0.4 } }, {})).toEqual([])
  })

  it('one origin with two timeouts', ({ expect }) => {
    expect(second({}, { origin: { url: ORIGIN, timeoutMs: 9000 } })).toEqual([
      `routes[1].origin: expected the same servers, weights, timeoutMs, keepHeaders and purge as in routes[0], ${lead}, got others. Write the same origin in both, or give one of them another origin.name.`,
    ])
    expect(second({}, { origin: { url: ORIGIN, timeoutMs: 9000, name: 'slow' } })).toEqual([])
  })

  it('the handlers behind the middleware with two tick lengths', ({ expect }) => {
    const routes = [{ match: '/a' }, { match: '/b', tickMs: 500 }]
    expect(problems({ routes }, 'optional')).toEqual([
      'routes[1].tickMs: expected 1000 as in routes[0], because both lead to the handlers, got 500 (number). Write 1000.',
    ])
  })

  it("one cookie for two routes, also if it is the other's retry cookie", ({ expect }) => {
    const own = 'Write another name, or leave it out.'
    expect(second({ session: { cookie: 'gate' } }, { session: { cookie: 'gate' } })).toEqual([
      `routes[1].session.cookie: expected a cookie of its own, got "gate", which routes[0] uses too. ${own}`,
    ])
    expect(second({}, { name: 'a-wait' })).toEqual([
      `routes[1].session.cookie: expected a cookie of its own, got "tidegate-a-wait", which routes[0] uses too. ${own}`,
    ])
  })
})
