import { describe, it } from 'vitest'
import { isCapacityRules } from '../../src/protocol/capacity-schema.ts'
import {
  ORIGIN,
  problems,
  resolved,
  resolvedRoute,
  route,
  routeProblems,
} from '../support/config.ts'

describe('capacity in the configuration', () => {
  it('is one tier with the servers of the origin, if nothing else is written', ({ expect }) => {
    const origin = { servers: [{ url: 'https://a.example.com' }, { url: 'https://b.example.com' }] }
    const { capacity } = resolvedRoute({ origin, capacity: {} })
    expect(capacity!.tiers).toMatchObject([{ name: 'app', metric: 'app', servers: 2, max: 1000 }])
    expect(capacity!.react).toEqual({
      everyS: 300,
      above: 1.2,
      refused: 0.05,
      below: 0.5,
      step: 'model',
      maxStep: 10,
      pauseS: 120,
    })
    expect(isCapacityRules(JSON.parse(JSON.stringify(capacity)))).toBe(true)
  })

  it.for([
    [
      { tiers: [] },
      'capacity.tiers: expected a list of at least one tier, got an empty list. Write [{ name: "app" }].',
    ],
    [
      { tiers: [{ name: 'My DB' }] },
      'capacity.tiers[0].name: expected 1 to 32 small letters, digits, "_" or "-", the first a letter, got "My DB" (string). Write for example "my-db".',
    ],
    [
      { tiers: [{ name: 'db' }, { name: 'db' }] },
      'capacity.tiers[1].name: expected each tier once, got "db" (string) a second time. Write another name.',
    ],
    [
      { tiers: [{ name: 'db', min: 3, max: 1 }] },
      'capacity.tiers[0].min: expected at most capacity.tiers[0].max, which is 1, got 3 (number). Write a lower capacity.tiers[0].min or a higher capacity.tiers[0].max.',
    ],
    [
      {
        tiers: [
          { name: 'a', part: 0.6 },
          { name: 'b', part: 0.5 },
        ],
      },
      'capacity.tiers: expected parts of at most 1 in all, got 1.100. Write smaller parts.',
    ],
    [
      { react: { step: 'modell' } },
      'capacity.react.step: expected "model" or a part from 0.01 to 1, got "modell" (string). Leave it out for "model".',
    ],
    [
      { webhook: 'http://scaler.example.com' },
      'capacity.webhook: expected an https URL, got "http://scaler.example.com" (string). Write for example "https://scaler.example.com/capacity".',
    ],
    [
      { group: { name: 'all', servers: 2 }, tiers: [{ name: 'app', min: 3 }] },
      'capacity.group.servers: expected at least 3, the minimum of the tiers, got 2 (number). Write 3, or make the minima smaller.',
    ],
  ] as const)('%j is an error', ([capacity, problem], { expect }) => {
    expect(routeProblems({ capacity })).toEqual([problem])
  })

  it('is the same for all routes to an origin', ({ expect }) => {
    const routes = [route({ match: '/a/*', capacity: {} }), route({ match: '/b/*' })]
    expect(problems({ routes })).toEqual([
      `routes[1].capacity: expected the same capacity as in routes[0], because both lead to "${ORIGIN}", got none. Write the same in both.`,
    ])
  })

  it('knows all origins of a group, which agree on its servers', ({ expect }) => {
    const shared = (path: string, servers: number) =>
      route({
        match: `/${path}/*`,
        origin: `https://${path}.example.com`,
        capacity: { group: { name: 'all', servers } },
      })
    const { routes } = resolved({ routes: [shared('b', 11), shared('a', 11)] })
    for (const { capacity } of routes)
      expect(capacity!.group!.origins).toEqual(['https://a.example.com', 'https://b.example.com'])
    expect(problems({ routes: [shared('a', 11), shared('b', 12)] })).toEqual([
      'routes[1].capacity.group.servers: expected 11, as in routes[0], because both are in the group "all", got 12 (number). Write 11.',
    ])
  })
})
