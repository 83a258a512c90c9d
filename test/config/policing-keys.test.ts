import { describe, it } from 'vitest'
import { ORIGIN, problems, resolvedRoute, route, routeProblems } from '../support/config.ts'

const BY = '"ip", "range", { header } or { cookie }'
const FAIRNESS = 'false or { by, maxShare, minAdmissions }'

describe('a bad value in order, police, smallFirst or fairness', () => {
  it.for([
    [
      { order: 'price' },
      'order: expected "value" or "density", got "price" (string). Leave it out for "value".',
    ],
    [
      { order: 'values' },
      'order: expected "value" or "density", got "values" (string). Write "value".',
    ],
    [
      { police: 'batches' },
      'police: expected "threshold", "batch" or "auto", got "batches" (string). Write "batch".',
    ],
    [
      { police: true },
      'police: expected "threshold", "batch" or "auto", got true (boolean). Leave it out for "threshold".',
    ],
    [
      { smallFirst: 1 },
      'smallFirst: expected true or false, got 1 (number). Leave it out for false.',
    ],
    [
      { fairness: true },
      `fairness: expected ${FAIRNESS}, got true (boolean). Leave it out for the defaults.`,
    ],
    [
      { fairness: 'ip' },
      `fairness: expected ${FAIRNESS}, got "ip" (string). Leave it out for the defaults.`,
    ],
    [{ fairness: { by: 'ips' } }, `fairness.by: expected ${BY}, got "ips" (string). Write "ip".`],
    [
      { fairness: { by: 'X-Api-Key' } },
      `fairness.by: expected ${BY}, got "X-Api-Key" (string). Leave it out for "range".`,
    ],
    [
      { fairness: { by: ['ip'] } },
      `fairness.by: expected ${BY}, got a list of 1. Leave it out for "range".`,
    ],
    [
      { fairness: { by: { header: 'X Api Key' } } },
      'fairness.by.header: expected the name of a header, got "X Api Key". Write for example "X-Api-Key".',
    ],
    [
      { fairness: { by: {} } },
      'fairness.by.header: expected the name of a header, got nothing. Write for example "X-Api-Key".',
    ],
    [
      { fairness: { by: { cookie: '' } } },
      'fairness.by.cookie: expected the name of a cookie, got "". Write for example "member".',
    ],
    [
      { fairness: { by: { cookie: 'member', header: 'X-Api-Key' } } },
      'fairness.by.header: expected no "header" beside "cookie", got "X-Api-Key" (string). Write one of the two.',
    ],
    [
      { fairness: { maxShare: 0 } },
      'fairness.maxShare: expected a number from 0.001 to 1, got 0 (number). Leave it out for 0.25.',
    ],
    [
      { fairness: { maxShare: '10%' } },
      'fairness.maxShare: expected a number from 0.001 to 1, got "10%" (string). Leave it out for 0.25.',
    ],
    [
      { fairness: { minAdmissions: -1 } },
      'fairness.minAdmissions: expected a number from 0 to 1000000, got -1 (number). Leave it out for 5.',
    ],
    [
      { fairness: { share: 0.1 } },
      'fairness.share: expected a known key, got "share". Known keys here: by, maxShare, minAdmissions.',
    ],
  ] as const)('%j', ([keys, problem], { expect }) => {
    expect(routeProblems(keys)).toEqual([problem])
  })
})

describe('a contradiction in these keys', () => {
  const second = (first: object, keys: object) =>
    problems({ routes: [route({ match: '/a', ...first }), route({ match: '/b', ...keys })] })
  const lead = `because both lead to ${JSON.stringify(ORIGIN)}`

  it('is two orders at one origin', ({ expect }) => {
    expect(second({}, { order: 'density' })).toEqual([
      `routes[1].order: expected "value" as in routes[0], ${lead}, got "density" (string). Write "value".`,
    ])
    expect(second({ order: 'density' }, {})).toEqual([
      `routes[1].order: expected "density" as in routes[0], ${lead}, got the default, "value". Write "density".`,
    ])
    expect(second({ order: 'density' }, { order: 'density' })).toEqual([])
  })

  it('is smallFirst on a session route', ({ expect }) => {
    const why = 'and a session is more than its first request, got true (boolean).'
    const remedy = 'Leave it out, or write granularity: "request".'
    expect(routeProblems({ smallFirst: true })).toEqual([
      `smallFirst: expected false, because granularity is "session", the default, ${why} ${remedy}`,
    ])
    expect(routeProblems({ smallFirst: true, granularity: 'session' })).toEqual([
      `smallFirst: expected false, because granularity is "session", ${why} ${remedy}`,
    ])
    expect(routeProblems({ smallFirst: true, granularity: 'request' })).toEqual([])
  })

  it('is not a different police rule or fairness at one origin', ({ expect }) => {
    expect(second({ police: 'batch' }, { fairness: false })).toEqual([])
  })
})

describe('fairness', () => {
  it('has defaults', ({ expect }) => {
    const standard = { by: 'range', maxShare: 0.25, minAdmissions: 5 }
    expect(resolvedRoute().fairness).toEqual(standard)
    expect(resolvedRoute({ fairness: {} }).fairness).toEqual(standard)
  })

  it('may count by address, range, header or cookie', ({ expect }) => {
    for (const by of ['ip', 'range', { header: 'X-Api-Key' }, { cookie: 'member' }])
      expect(resolvedRoute({ fairness: { by } }).fairness).toEqual({
        by,
        maxShare: 0.25,
        minAdmissions: 5,
      })
  })

  it('can be turned off', ({ expect }) => {
    expect(resolvedRoute({ fairness: false }).fairness).toBeNull()
  })
})
