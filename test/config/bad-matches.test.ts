import { describe, it } from 'vitest'
import { routeProblems } from '../support/config.ts'

const PRESENT = 'Write for example "gold*", or true if any value will do.'
const IP_FORM = 'an address or a CIDR range such as "203.0.113.7", "10.0.0.0/8" or "2001:db8::/32"'

const cases: readonly (readonly [match: object, problem: string])[] = [
  [
    { path: [] },
    'path: expected at least one value, got an empty list. Leave the key out for no condition.',
  ],
  [
    { path: ['/a', 'b'] },
    'path[1]: expected a path pattern: "/", "/cart", "/shop/*" or "/items/*/buy", got "b" (string). Write "/b": a path starts with "/".',
  ],
  [
    { method: 'get' },
    'method: expected an HTTP method in capitals, got "get" (string). Write "GET".',
  ],
  [
    { method: ['POST', 'FETCH'] },
    'method[1]: expected an HTTP method in capitals, got "FETCH" (string). Write for example "GET".',
  ],
  [
    { header: 'X-Plan' },
    'header: expected names, each with true, a text or a list of texts, got "X-Plan" (string). Write for example { "X-Plan": "gold" }.',
  ],
  [
    { header: { 'X Plan': true } },
    'header["X Plan"]: expected the name of a header, got "X Plan". Write for example "X-Plan".',
  ],
  [
    { header: { 'X-Plan': 'gold', 'x-plan': 'silver' } },
    'header["x-plan"]: expected each name once, got this one a second time (upper and lower case are the same). Write all its values as one list.',
  ],
  [
    { cookie: { plan: false } },
    'cookie.plan: expected true, a text or a list of texts, got false (boolean). A condition cannot ask for something that is absent. Match the requests that have it, in an earlier class.',
  ],
  [
    { cookie: { plan: 'go*ld' } },
    `cookie.plan: expected a text with "*" at its start or end only, got "go*ld" (string). ${PRESENT}`,
  ],
  [
    { query: { ref: ['mail', 7] } },
    'query.ref[1]: expected true, a text or a list of texts, got 7 (number). Write "7".',
  ],
  [
    JSON.parse('{ "query": { "__proto__": "x" } }'),
    'query.__proto__: expected another name, got this one. Leave it out: JavaScript reserves this name.',
  ],
  [
    { country: 'Germany' },
    'country: expected the two letters of a country (ISO 3166), or "T1" for Tor, got "Germany" (string). Write for example "DE".',
  ],
  [
    { asn: 'AS13335' },
    'asn: expected a whole number from 1 to 4294967295, got "AS13335" (string). Write for example 13335.',
  ],
  [
    { ip: '10.0.0.256' },
    `ip: expected ${IP_FORM}, got "10.0.0.256" (string). Write for example "10.0.0.0/8".`,
  ],
  [
    { ip: ['10.0.0.0/33'] },
    `ip[0]: expected ${IP_FORM}, got "10.0.0.0/33" (string). Write for example "10.0.0.0/8".`,
  ],
  [
    { ip: '10.1.2.3/8' },
    'ip: expected a CIDR range that starts at its first address, got "10.1.2.3/8" (string). Write "10.1.2.3" for the one address, or the first address of the range.',
  ],
  [{ paths: '/a' }, 'paths: expected a known key, got "paths". Did you mean "path"?'],
]

describe('a bad condition on requests', () => {
  it.for(cases)('of a class: %j', ([match, problem], { expect }) => {
    expect(routeProblems({ classes: [{ name: 'a', match }] })).toEqual([
      `classes[0].match.${problem}`,
    ])
  })

  it.for(cases)('of a bypass: %j', ([match, problem], { expect }) => {
    expect(routeProblems({ bypass: [match] })).toEqual([`bypass[0].${problem}`])
  })
})
