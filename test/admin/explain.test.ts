import { describe, it } from 'vitest'
import { type DescribedRequest, explain } from '../../src/admin/explain/explain.ts'
import type { RouteStatus } from '../../src/coordinator/operator/route-status.ts'
import type { ClassPlan } from '../../src/protocol/plan.ts'
import { planOf, routesOf } from '../support/requests.ts'

const ROUTES = routesOf(
  { name: 'api', match: 'api.example.com/*' },
  {
    name: 'shop',
    match: '/shop/*',
    bypass: [{ path: '/shop/health' }],
    classes: [
      { name: 'members', value: 10, match: { cookie: { member: '*' }, method: 'GET' } },
      { name: 'buyers', value: 5, match: { path: '/shop/checkout/*' } },
    ],
  },
  {
    ...{ name: 'special', match: '/special/*' },
    classes: [
      { name: 'invited', match: { pass: true } },
      { name: 'heavy', match: { tier: 'db' } },
    ],
  },
  { name: 'spare', match: '/spare/*', startup: 'refuse', mode: 'observe' },
)

interface Known {
  readonly classes?: Readonly<Record<string, Partial<ClassPlan>>>
  readonly mode?: RouteStatus['mode']
  readonly hasSession?: boolean
  readonly waitS?: number
}

function explained(url: string, given: Partial<DescribedRequest> = {}, known: Known = {}) {
  const { classes, hasSession = false, waitS = 0 } = known
  const plan = classes ? planOf({ drawLimit: 10, classes }).routes.shop! : null
  return explain(
    { clientIp: 'none', routes: ROUTES },
    { method: 'GET', headers: {}, url: `https://www.example.com${url}`, ...given },
    { hasSession: () => hasSession, waitS: () => waitS },
    async (route) =>
      plan === null ? null : ({ mode: known.mode ?? route.mode, plan } as RouteStatus),
  )
}

const PLAN = {
  members: { probability: 1 },
  buyers: { probability: 0.03 },
  default: { probability: 0 },
}

describe('an explanation', () => {
  it('names the route, the class and the rules that were tried', async ({ expect }) => {
    const found = await explained('/shop/checkout/1', {}, { classes: PLAN })
    expect(found).toMatchObject({
      ...{ route: 'shop', class: 'buyers', mode: 'enforce', paths: ['/shop/checkout/1'] },
      routesTried: [
        { route: 'api', match: 'api.example.com/*', isMatch: false },
        { route: 'shop', match: '/shop/*', isMatch: true },
      ],
      bypassTried: [{ isMatch: false, conditions: [{ key: 'path', found: '/shop/checkout/1' }] }],
      classesTried: [
        {
          ...{ class: 'members', isMatch: false },
          conditions: [
            { key: 'method', expected: ['GET'], found: 'GET', isMatch: true },
            { key: 'cookie member', expected: ['*'], found: null, isMatch: false },
          ],
        },
        { class: 'buyers', isMatch: true },
      ],
    })
  })

  it('takes nobody for the holder of a pass, and no path for one that was answered', async ({
    expect,
  }) => {
    expect(await explained('/special/1')).toMatchObject({
      class: 'default',
      classesTried: [
        { class: 'invited', isMatch: false, conditions: [{ key: 'pass', found: null }] },
        { class: 'heavy', isMatch: false, conditions: [{ key: 'tier', expected: ['db'] }] },
        { class: 'default', isMatch: true },
      ],
    })
  })

  it('says what the verdict would be now', async ({ expect }) => {
    const verdictOf = async (url: string, headers = {}, known: Known = {}) =>
      (await explained(url, { headers }, { classes: PLAN, ...known })).verdict
    expect(await verdictOf('/shop/checkout/1')).toEqual({
      ...{ verdict: 'draw', reason: 'share', chance: 0.03, isOnlyObserved: false },
      text: '3 % of buyers are admitted now: there are more than fit into the limit.',
    })
    expect(await verdictOf('/shop/', { Cookie: 'member=1' })).toMatchObject({ verdict: 'admit' })
    expect(await verdictOf('/shop/')).toMatchObject({ verdict: 'refuse', reason: 'share' })
    expect(await verdictOf('/shop/health')).toMatchObject({ reason: 'bypass' })
    expect(await verdictOf('/shop/', {}, { hasSession: true })).toMatchObject({ reason: 'session' })
    expect(await verdictOf('/shop/', {}, { waitS: 7 })).toMatchObject({
      ...{ verdict: 'refuse', reason: 'early' },
    })
    expect(await verdictOf('/shop/', {}, { mode: 'off' })).toMatchObject({ reason: 'off' })
    expect(await verdictOf('/shop/', {}, { mode: 'observe' })).toMatchObject({
      ...{ verdict: 'refuse', isOnlyObserved: true },
    })
    expect(await verdictOf('/nothing')).toMatchObject({ verdict: 'none', reason: null })
  })

  it('says that a new visitor waits, while others do', async ({ expect }) => {
    const queue = {
      ...{ watermark: 100, bucketS: 1, rate: 2.5, leaving: 0, low: 0.5, high: 2 },
      ...{ isDirect: false, limit: 2.5, ahead: [100, 0, 160, 320] },
    }
    const verdictWith = async (isDirect: boolean) => {
      const classes = { ...PLAN, default: { probability: 1, queue: { ...queue, isDirect } } }
      return (await explained('/shop/', {}, { classes })).verdict
    }
    expect(await verdictWith(false)).toEqual({
      ...{ verdict: 'queue', reason: 'waiting', chance: 0, isOnlyObserved: false },
      text: 'About 320 of default wait already, and 2.5/s enter. A new visitor waits behind them.',
    })
    expect(await verdictWith(true)).toMatchObject({ verdict: 'admit' })
  })

  it('counts the guarantee into the chance', async ({ expect }) => {
    const classes = { ...PLAN, default: { probability: 0.5, conforming: 0.2, guaranteed: 4 } }
    const { verdict } = await explained('/shop/', {}, { classes })
    expect(verdict.chance).toBeCloseTo(0.6)
    expect(verdict.text).toContain('20 % are within the guarantee of 4/s.')
  })

  it('follows the rule for the start while there is no plan', async ({ expect }) => {
    expect((await explained('/shop/')).verdict).toMatchObject({ verdict: 'admit' })
    expect((await explained('/spare/')).verdict).toMatchObject({
      ...{ verdict: 'refuse', reason: 'startup', isOnlyObserved: true },
    })
  })

  it('takes the least favoured class where servers read the path differently', async ({
    expect,
  }) => {
    const found = await explained('/shop/checkout%2f..%2f..%2fshop/1', {}, { classes: PLAN })
    expect(found.paths.length).toBeGreaterThan(1)
    expect(found.class).toBe('default')
  })
})
