import { describe, it } from 'vitest'
import { problems, routeProblems } from '../support/config.ts'

type Case = readonly [keys: object, problem: string]

const URL_FORM = 'a URL such as "https://origin.example.com", without path and credentials'
const PATH_FORM = 'a path pattern: "/", "/cart", "/shop/*" or "/items/*/buy"'
const MATCH_FORM = 'a pattern such as "/shop/*" or "shop.example.com/*", or { host, path }'
const HOST_FORM = 'a host name: "shop.example.com", "*.example.com" or "*"'
const NAME_FORM = '1 to 64 letters, digits, ".", "_" or "-", the first a letter or digit'

const match: readonly Case[] = [
  [{ match: undefined }, `match: expected ${MATCH_FORM}, got nothing. Write "/*" for everything.`],
  [{ match: 7 }, `match: expected ${MATCH_FORM}, got 7 (number). Write "/*" for everything.`],
  [
    { match: 'shop' },
    `match: expected ${MATCH_FORM}, got "shop" (string). Write "shop/*" for a host, or "/shop" for a path.`,
  ],
  [
    { match: 'https://shop.example.com/*' },
    `match: expected ${MATCH_FORM}, got "https://shop.example.com/*" (string). Write "shop.example.com/*": the scheme is not compared.`,
  ],
  [
    { match: '/**' },
    `match: expected ${PATH_FORM}, got "/**" (string). Write "/*": "*" is one segment; at the end it is any number of them.`,
  ],
  [
    { match: '/a*b' },
    `match: expected ${PATH_FORM}, got "/a*b" (string). Write "*" for one whole segment, or "/*" at the end for everything below.`,
  ],
  [
    { match: '/shop/' },
    `match: expected ${PATH_FORM}, got "/shop/" (string). Write "/shop": it also matches with a slash at the end.`,
  ],
  [
    { match: '/a//b' },
    `match: expected ${PATH_FORM}, got "/a//b" (string). Leave out empty segments, "." and "..": requests are compared without them.`,
  ],
  [
    { match: '/b%C3%BCcher' },
    `match: expected ${PATH_FORM}, got "/b%C3%BCcher" (string). Write "/bücher": paths are compared decoded.`,
  ],
  [
    { match: '/a?b=c' },
    `match: expected ${PATH_FORM}, got "/a?b=c" (string). Leave out what follows the path; for the query use "query".`,
  ],
  [
    { match: { path: 'shop' } },
    `match.path: expected ${PATH_FORM}, got "shop" (string). Write "/shop": a path starts with "/".`,
  ],
  [
    { match: { host: 'localhost:8787' } },
    `match.host: expected ${HOST_FORM}, got "localhost:8787" (string). Write "localhost": the port is not compared.`,
  ],
  [
    { match: { host: 'bücher.example' } },
    `match.host: expected ${HOST_FORM}, got "bücher.example" (string). Write "xn--bcher-kva.example".`,
  ],
  [
    { match: { host: 'a.*.example' } },
    `match.host: expected ${HOST_FORM}, got "a.*.example" (string). Leave it out for "*", any host.`,
  ],
]

const origin: readonly Case[] = [
  [
    { origin: undefined },
    'origin: expected a URL, { url } or { servers: [{ url }] }, got nothing. Write for example "https://origin.example.com".',
  ],
  [
    { origin: ['https://a.example.com'] },
    'origin: expected a URL, { url } or { servers: [{ url }] }, got a list of 1. Write for example "https://origin.example.com".',
  ],
  [
    { origin: 'origin.example.com' },
    `origin: expected ${URL_FORM}, got "origin.example.com" (string). Write "https://origin.example.com".`,
  ],
  [
    { origin: 'ftp://origin.example.com' },
    `origin: expected ${URL_FORM}, got "ftp://origin.example.com" (string). Write "https://origin.example.com".`,
  ],
  [
    { origin: 'http:///origin' },
    `origin: expected ${URL_FORM}, got "http:///origin" (string). Write "https://origin.example.com".`,
  ],
  [
    { origin: 'https://origin.example.com/app' },
    `origin: expected ${URL_FORM}, got "https://origin.example.com/app" (string). Write "https://origin.example.com": the path comes from the request.`,
  ],
  [
    // The password is not repeated: the text of an error ends up in logs.
    { origin: { url: 'https://me:hunter2@origin.example.com' } },
    `origin.url: expected ${URL_FORM}, got a URL with credentials for "https://origin.example.com". Write "https://origin.example.com".`,
  ],
  [
    { origin: { servers: [] } },
    'origin.servers: expected a list of at least one server, got an empty list. Write [{ url: "https://a.example.com" }].',
  ],
  [
    { origin: { servers: [{ url: 'https://a.example.com', weight: 0 }] } },
    'origin.servers[0].weight: expected a number from 0.001 to 1000, got 0 (number). Leave it out for 1.',
  ],
  [
    { origin: { servers: [{ url: 'https://a.example.com' }], url: 'https://b.example.com' } },
    'origin.url: expected no "url" beside "servers", got "https://b.example.com" (string). Write it as one of the servers.',
  ],
  [
    { origin: { url: 'https://a.example.com', timeoutMs: '10s' } },
    'origin.timeoutMs: expected a whole number from 1 to 600000 (milliseconds), got "10s" (string). Write 10000.',
  ],
  [
    { origin: { url: 'https://a.example.com', name: 'app' } },
    'origin.name: expected another name than "app", which stands for the handlers behind the middleware, got "app" (string). Leave it out: the name is then made from the URLs.',
  ],
]

const numbers: readonly Case[] = [
  [
    { sla: { targetMs: '500ms' } },
    'sla.targetMs: expected a number from 1 to 120000 (milliseconds), got "500ms" (string). Write 500.',
  ],
  [
    { sla: { targetMs: 0 } },
    'sla.targetMs: expected a number from 1 to 120000 (milliseconds), got 0 (number). Leave it out for 1000.',
  ],
  [
    { sla: { percentile: 0.95 } },
    'sla.percentile: expected a number from 1 to 99.99 (per cent), got 0.95 (number). Write 95.',
  ],
  [
    { tickMs: 0.5 },
    'tickMs: expected a whole number from 100 to 60000 (milliseconds), got 0.5 (number). Write 500 for 0.5 s: it is in milliseconds.',
  ],
  [
    { sla: { targetMs: 0.8 } },
    'sla.targetMs: expected a number from 1 to 120000 (milliseconds), got 0.8 (number). Write 800 for 0.8 s: it is in milliseconds.',
  ],
  [
    { tickMs: 250.5 },
    'tickMs: expected a whole number from 100 to 60000 (milliseconds), got 250.5 (number). Leave it out for 1000.',
  ],
  [
    { refusal: { retryMinS: '10 s' } },
    'refusal.retryMinS: expected a whole number from 1 to 86400 (seconds), got "10 s" (string). Write 10.',
  ],
  ...[-1, Number.NaN, Number.POSITIVE_INFINITY].map(
    (guaranteed): Case => [
      { classes: [{ name: 'a', guaranteed }] },
      `classes[0].guaranteed: expected a number from 0 to 1000000 (per second), got ${guaranteed} (number). Write a rate, for example 5 for 5 per second.`,
    ],
  ),
]

const words: readonly Case[] = [
  [
    { mode: 'enforced' },
    'mode: expected "enforce", "observe" or "off", got "enforced" (string). Write "enforce".',
  ],
  [
    { mode: true },
    'mode: expected "enforce", "observe" or "off", got true (boolean). Leave it out for "enforce".',
  ],
  [
    { granularity: 'visitor' },
    'granularity: expected "session" or "request", got "visitor" (string). Leave it out for "session".',
  ],
  [
    { whenFull: ['degrade', 'que'] },
    'whenFull[1]: expected "refuse", "queue", "degrade" or "redirect", got "que" (string). Write "queue".',
  ],
  [
    { startup: 'cache' },
    'startup: expected "cached", "admit" or "refuse", got "cache" (string). Write "cached".',
  ],
  [
    { failure: null },
    'failure: expected "local", "open" or "closed", got null. Leave it out for "local".',
  ],
  [
    { refusal: { status: 500 } },
    'refusal.status: expected 503 or 429, got 500 (number). Leave it out for 503.',
  ],
  [
    { refusal: { status: '429' } },
    'refusal.status: expected 503 or 429, got "429" (string). Write 429.',
  ],
  [
    { waitingRoom: { page: '<p>Please wait</p>' } },
    'waitingRoom.page: expected a page with {{place}} and {{wait}}, got a page without {{place}} and {{wait}}. Write {{place}} and {{wait}} where the page shows it.',
  ],
  [
    { waitingRoom: { page: '<p>You are number {{place}}.</p>' } },
    'waitingRoom.page: expected a page with {{place}} and {{wait}}, got a page without {{wait}}. Write {{wait}} where the page shows it.',
  ],
  [
    { waitingRoom: { page: '<p>About {{wait}}</p>' } },
    'waitingRoom.page: expected a page with {{place}} and {{wait}}, got a page without {{place}}. Write {{place}} where the page shows it.',
  ],
  [
    { refusal: { page: './busy.html' } },
    'refusal.page: expected the HTML of a page, got "./busy.html" (string). Write the HTML itself, not a file name; leave it out for the built-in page.',
  ],
  [
    { verdictHeader: 'yes' },
    'verdictHeader: expected true or false, got "yes" (string). Leave it out for false.',
  ],
  [
    { name: 'my shop' },
    `name: expected ${NAME_FORM}, got "my shop" (string). Write for example "my-shop".`,
  ],
  [
    { name: 'constructor' },
    `name: expected ${NAME_FORM}, got "constructor" (string). Write another name: JavaScript reserves this one.`,
  ],
  [
    { session: { cookie: 'my cookie' } },
    'session.cookie: expected the name of a cookie, got "my cookie". Write for example "gate".',
  ],
]

describe.for([
  ['match', match],
  ['origin', origin],
  ['numbers', numbers],
  ['words and texts', words],
] as const)('a bad value: %s', ([, cases]) => {
  it.for(cases)('%j', ([keys, problem], { expect }) => {
    expect(routeProblems(keys)).toEqual([problem])
  })
})

describe('a bad value for the whole configuration', () => {
  const ROUTE = '{ match: "/*", origin: "https://origin.example.com" }'
  it.for([
    [
      undefined,
      `config: expected an object { routes }, got nothing. Write for example { routes: [${ROUTE}] }.`,
    ],
    [
      [],
      `config: expected an object { routes }, got an empty list. Write for example { routes: [${ROUTE}] }.`,
    ],
    [
      {},
      `routes: expected a list of at least one route, got nothing. Write for example [${ROUTE}].`,
    ],
    [
      { routes: [] },
      `routes: expected a list of at least one route, got an empty list. Write for example [${ROUTE}].`,
    ],
    [
      { routes: [null] },
      `routes[0]: expected a route { match, origin, … }, got null. Write for example ${ROUTE}.`,
    ],
  ] as const)('%j', ([config, problem], { expect }) => {
    expect(problems(config)).toEqual([problem])
  })
})
