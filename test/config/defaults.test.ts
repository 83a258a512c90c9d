import { describe, it } from 'vitest'
import { originNameOf } from '../../src/config/config.ts'
import { APP_ORIGIN } from '../../src/config/defaults.ts'
import { ORIGIN, resolved, resolvedRoute } from '../support/config.ts'

describe('a route with only match and origin', () => {
  it('has every default', ({ expect }) => {
    expect(resolved({ routes: [{ match: '/*', origin: ORIGIN }] })).toEqual({
      clientIp: 'cloudflare',
      routes: [
        {
          name: 'site',
          match: { host: '*', path: '/*' },
          origin: {
            name: ORIGIN,
            servers: [{ url: ORIGIN, weight: 1 }],
            timeoutMs: 30_000,
            keepHeaders: [],
            purge: false,
            balance: 'weighted',
            affinity: false,
            slowStartMs: 10_000,
            healthCheck: null,
          },
          sla: { percentile: 95, targets: [{ fromRate: 0, targetMs: 1000 }], windowMs: 300_000 },
          classes: [{ name: 'default', value: 1, guaranteed: 0, tier: 'default', match: {} }],
          granularity: 'session',
          session: {
            idleMs: 1_800_000,
            maxAgeMs: 28_800_000,
            cookie: 'tidegate-site',
            sameSite: 'lax',
            keepObserved: false,
            maxRate: 20,
            maxRangeRate: 0,
          },
          learner: { name: 'soc-lqr', options: { floor: 0.4 } },
          tickMs: 1000,
          mode: 'enforce',
          startup: 'cached',
          failure: 'local',
          whenFull: ['queue'],
          degrade: null,
          redirect: null,
          waitingRoom: {
            ...{ order: 'fifo', keepPlaceMs: 600_000, status: 503 },
            ...{ page: null, texts: {}, events: [], cfWaitingRoom: false, turnstile: null },
          },
          refusal: {
            status: 503,
            page: null,
            soldOutPage: null,
            allowOrigins: [],
            retryMinS: 5,
            retryMaxS: 15,
          },
          bypass: [],
          verdictHeader: false,
          serverTiming: false,
          capacity: null,
          order: 'value',
          police: 'threshold',
          smallFirst: false,
          fairness: { by: 'range', maxShare: 0.25, minAdmissions: 5 },
          upload: { minBytesPerS: 500, maxMs: 900_000, maxOpen: 100 },
        },
      ],
    })
  })

  it('needs no origin behind the middleware; its origin is then called "app"', ({ expect }) => {
    const config = resolved({ routes: [{ match: '/*' }] }, 'optional')
    expect(config.routes[0]!.origin).toBeNull()
    expect(originNameOf(config.routes[0]!)).toBe(APP_ORIGIN)
  })
})

describe('defaults that depend on other keys', () => {
  it.for([
    ['/*', 'site'],
    ['/', 'home'],
    ['/shop/*', 'shop'],
    ['/items/*/buy', 'items-buy'],
    ['shop.example.com/*', 'shop-example-com'],
    ['*.example.com/a/*', 'example-com-a'],
  ] as const)('%s is called %s', ([match, name], { expect }) => {
    const route = resolvedRoute({ match })
    expect(route.name).toBe(name)
    expect(route.session.cookie).toBe(`tidegate-${name}`)
  })

  it('treats host and path in an object like the same text', ({ expect }) => {
    expect(resolvedRoute({ match: { host: 'Shop.example.com', path: '/a/*' } }).match).toEqual(
      resolvedRoute({ match: 'shop.example.com/a/*' }).match,
    )
    expect(resolvedRoute({ match: {} }).match).toEqual({ host: '*', path: '/*' })
  })

  it('names a pool after its servers in any order, so that routes to it share a coordinator', ({
    expect,
  }) => {
    const pool = (...urls: string[]) => ({ servers: urls.map((url) => ({ url })) })
    const [a, b] = ['https://a.example.com', 'https://b.example.com'] as const
    const routes = [
      { match: '/a', origin: pool(a, b) },
      { match: '/b', origin: pool(b, a) },
    ]
    const names = resolved({ routes }).routes.map((route) => route.origin?.name)
    expect(names).toEqual([`${a},${b}`, `${a},${b}`])
  })

  it('goes on with a refusal after steps that let a request pass on', ({ expect }) => {
    expect(resolvedRoute({ whenFull: 'queue' }).whenFull).toEqual(['queue'])
    expect(resolvedRoute({ whenFull: ['degrade'], degrade: { stored: true } }).whenFull).toEqual([
      'degrade',
      'refuse',
    ])
    expect(
      resolvedRoute({ whenFull: ['redirect', 'queue'], redirect: { to: 'https://eu.example.com' } })
        .whenFull,
    ).toEqual(['redirect', 'queue'])
  })

  it('has a quality in five steps and without switches for {}, which errors recommend', ({
    expect,
  }) => {
    const { degrade } = resolvedRoute({ whenFull: 'degrade', degrade: { quality: {} } })
    expect(degrade!.quality).toEqual({ min: 0.25, steps: 5, switches: [] })
  })

  it('gives a lighter path of the same origin a quality of its own', ({ expect }) => {
    const { degrade } = resolvedRoute({
      whenFull: 'degrade',
      degrade: { lighter: { path: '/lite/*' } },
    })
    expect(degrade!.quality).toEqual({ min: 0.5, steps: 1, switches: [] })
  })

  it('adds the class "default" unless some class takes everything', ({ expect }) => {
    const names = (classes: object[]) =>
      resolvedRoute({ match: '/shop/*', classes }).classes.map(({ name }) => name)
    expect(names([{ name: 'a', match: { path: '/shop/a' } }])).toEqual(['a', 'default'])
    expect(names([{ name: 'a' }])).toEqual(['a'])
    expect(names([{ name: 'a', match: {} }])).toEqual(['a'])
    expect(names([{ name: 'a', match: { path: '/shop/*' } }])).toEqual(['a'])
  })
})
