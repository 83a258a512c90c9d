import { describe, it } from 'vitest'
import { REACHABILITY } from '../../src/config/contradictions/reachability.ts'
import { resolveConfig } from '../../src/config/load.ts'
import { LEARNERS } from '../support/config.ts'

/** The paths of the origins that a deployed gate cannot reach. */
function outOfReach(...routes: readonly object[]): readonly string[] {
  const options = { origin: 'optional', learners: LEARNERS, alsoCheck: [REACHABILITY] } as const
  const resolution = resolveConfig({ routes }, options)
  return resolution.ok ? [] : resolution.problems.map(({ path }) => path)
}

describe('the check for a deployment', () => {
  it.for([
    'http://localhost:8788',
    'http://shop.localhost',
    'http://localhost.',
    'http://127.0.0.1:8788',
    'http://127.1',
    'http://0.0.0.0:80',
    'http://10.1.2.3',
    'http://172.16.0.1',
    'http://172.31.255.255',
    'http://192.168.1.1',
    'http://169.254.169.254',
    'http://[::1]:8080',
    'http://[::]',
    'http://[fe80::1]',
    'http://[fd00::1]',
    'http://[::ffff:10.0.0.1]',
  ])('reports %s', (origin, { expect }) => {
    expect(outOfReach({ match: '/*', origin })).toEqual(['routes[0].origin'])
  })

  it.for([
    'https://origin.example.com',
    'https://localhost.example.com',
    'http://172.15.0.1',
    'http://172.32.0.1',
    'http://11.0.0.1',
    'http://192.169.0.1',
    'http://[2001:db8::1]',
  ])('accepts %s', (origin, { expect }) => {
    expect(outOfReach({ match: '/*', origin })).toEqual([])
  })

  it('needs no origin behind the middleware', ({ expect }) => {
    expect(outOfReach({ match: '/*' })).toEqual([])
  })

  it('reports each key, together with all other problems', ({ expect }) => {
    const servers = [{ url: 'https://a.example.com' }, { url: 'http://10.0.0.1' }]
    expect(
      outOfReach(
        { match: '/a/*', origin: { url: 'http://localhost' }, tickMs: 'long' },
        { match: '/b/*', origin: { servers } },
      ),
    ).toEqual(['routes[0].tickMs', 'routes[0].origin.url', 'routes[1].origin.servers[1].url'])
  })
})
