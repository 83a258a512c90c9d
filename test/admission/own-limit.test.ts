import { describe, it } from 'vitest'
import { OriginAdmission } from '../../src/admission/origin-admission.ts'
import type { PlanPart } from '../../src/admission/plan-part.ts'
import type { Route } from '../../src/config/config.ts'
import { InFlightSizes } from '../../src/measure/in-flight-sizes.ts'
import type { OwnLimitPlan } from '../../src/protocol/plan.ts'
import { type Planned, planOf, routeOf } from '../support/requests.ts'

const SEARCH = 0
const PAGES = 1
const KEY = 'shop/search'

interface Given {
  readonly own: Partial<OwnLimitPlan>
  readonly probability?: number
  readonly plan?: Planned
  readonly part?: PlanPart
  readonly isStored?: boolean
  readonly route?: object
}

/** A shop of which one class is limited by itself. `level` has its requests in flight, and their time so far. */
function shopOf({ own, probability = 1, plan, part = { share: 1 }, isStored, route }: Given) {
  const shop: Route = routeOf({
    granularity: 'request',
    classes: [
      { name: 'search', match: { path: '/search' }, sla: { targetMs: 3000 } },
      { name: 'pages' },
    ],
    ...route,
  })
  const level = { search: 0, busyMs: 0 }
  const admission = new OriginAdmission(
    [shop],
    0,
    () => 0.5,
    (_, index) => (index === SEARCH ? level.search : 0),
    new InFlightSizes(),
    (_nowMs, _route, index) => (index === SEARCH ? level.busyMs : 0),
  )
  const limit = { drawLimit: null, inFlightCap: null, burst: 3, ...own }
  const classes = { search: { probability, own: limit }, pages: {} }
  admission.follow(planOf({ ...plan, classes }), part, 0, isStored)
  const draw = (nowMs: number, index = SEARCH) => admission.draw(shop, index, nowMs)
  const admitted = (perSecond: number, seconds: number, fromMs = 0) =>
    Array.from({ length: perSecond * seconds }, (_, i) =>
      draw(fromMs + (i * 1000) / perSecond),
    ).filter(({ kind }) => kind === 'admit').length
  return { shop, admission, level, draw, admitted }
}

describe('a class that is limited by itself, in a newborn isolate', () => {
  const newborn = (own: Partial<OwnLimitPlan>) =>
    shopOf({ own, part: { share: 0, fairPart: 0.01 }, isStored: true })

  it('admits a fair part of its limit by the stored plan: 1 of 1000 at 2/s', ({ expect }) => {
    expect(newborn({ drawLimit: 2 }).admitted(1000, 1)).toBeLessThanOrEqual(1)
  })

  it('admits no more than any newborn where no limit is known', ({ expect }) => {
    expect(newborn({}).admitted(1000, 0.1)).toBeLessThanOrEqual(22)
  })

  it('does not take from the room of the others, nor they from its own', ({ expect }) => {
    const { draw } = newborn({ drawLimit: 2 })
    for (let i = 0; i < 100; i++) draw(0)
    expect(draw(0, PAGES).kind).toBe('admit')
  })
})

describe('a class that is limited by itself, under a plan that is stale', () => {
  it('asks for a newer one, and until then has a fair part', ({ expect }) => {
    const { admission, shop, admitted } = shopOf({
      own: { drawLimit: 4 },
      plan: { goodForMs: 2000 },
      part: { share: 0.1, fairPart: 0.1 },
    })
    expect(admission.wantsAnswer(shop, SEARCH, 1000)).toBe(false)
    expect(admission.wantsAnswer(shop, SEARCH, 3000)).toBe(true)
    // One at once, and 0.4/s.
    expect(admitted(100, 10, 3000)).toBeLessThanOrEqual(5)
  })
})

describe('a class that is limited by itself, with a lease of its own', () => {
  const own = { [KEY]: { share: 0.01, lease: { load: 2, forMs: 2000, holds: 'all' as const } } }

  it('admits what was lent under its key, and no more', ({ expect }) => {
    const { admitted } = shopOf({ own: { drawLimit: 2 }, part: { share: 0.01, own } })
    expect(admitted(100, 1)).toBe(2)
  })

  it('leaves the lease of the others alone', ({ expect }) => {
    const lease = { load: 5, forMs: 2000, holds: 'all' as const }
    const part = { share: 0.01, lease, own }
    const { draw, admitted } = shopOf({ own: { drawLimit: 2 }, plan: { drawLimit: 50 }, part })
    expect(admitted(100, 1)).toBe(2)
    const pages = Array.from({ length: 9 }, () => draw(0, PAGES).kind)
    expect(pages.filter((kind) => kind === 'admit')).toHaveLength(5)
  })

  it('asks the relay when its own lease is used, and not for that of the others', ({ expect }) => {
    const inCalm = (load: number) => ({ load, forMs: 2000, holds: 'asks' as const })
    const asks = (shared: number, lent: number) => {
      const part = {
        ...{ share: 0.01, lease: inCalm(shared) },
        own: { [KEY]: { share: 0.01, lease: inCalm(lent) } },
      }
      const { admission, shop } = shopOf({ own: { drawLimit: 2 }, plan: { drawLimit: 2 }, part })
      return [SEARCH, PAGES].map((index) => admission.wantsAnswer(shop, index, 0))
    }
    expect(asks(0, 1)).toEqual([false, true])
    expect(asks(1, 0)).toEqual([true, false])
  })
})

describe('the own cap on requests in flight', () => {
  it('is what the relay holds, where it is too small to divide', ({ expect }) => {
    const lease = { load: 1, forMs: 2000, holds: 'all' as const, asks: 0.1, reportsEnds: true }
    const own = {
      [KEY]: { share: 0.01, lease: { ...lease, reportsEnds: true as const }, slots: null },
    }
    const { admission, shop, admitted } = shopOf({
      own: { inFlightCap: 12 },
      part: { share: 0.01, own },
    })
    expect(admission.reportsEnds(shop, SEARCH, 0)).toBe(true)
    expect(admission.reportsEnds(shop, PAGES, 0)).toBe(false)
    expect(admitted(100, 1)).toBe(1)
  })

  it('is a fraction of a request for a busy isolate of many: 0.2 in flight, and not one', ({
    expect,
  }) => {
    const STAY_MS = 100
    const own = { [KEY]: { share: 0.02, slots: { mean: 0.2, stayMs: STAY_MS } } }
    const { admission, shop, level } = shopOf({
      own: { inFlightCap: 10 },
      part: { share: 0.02, own },
    })
    let [busyMs, endsMs] = [0, 0]
    // A visitor in each millisecond of 20 s.
    for (let nowMs = 0; nowMs < 20_000; nowMs++) {
      if (nowMs === endsMs) level.search = 0
      if (!admission.isFull(shop, SEARCH, nowMs) && level.search === 0) {
        level.search = 1
        endsMs = nowMs + STAY_MS
      }
      busyMs += level.search
      level.busyMs = busyMs
    }
    expect(busyMs / 20_000).toBeCloseTo(0.2, 1)
  })

  it('is a share of it elsewhere', ({ expect }) => {
    const { level, draw } = shopOf({ own: { inFlightCap: 12 }, part: { share: 0.5 } })
    level.search = 5
    expect(draw(0).kind).toBe('admit')
    level.search = 6
    expect(draw(0)).toEqual({ kind: 'refuse', reason: 'full' })
  })
})

describe('a class that is limited by itself, elsewhere', () => {
  it('makes it matter who asks, although the others have no limit', ({ expect }) => {
    expect(shopOf({ own: { drawLimit: 2 } }).admission.isContested).toBe(true)
    expect(shopOf({ own: {} }).admission.isContested).toBe(false)
  })

  it('is not tested in a batch with the others', ({ expect }) => {
    const load = { servers: 3, serviceMs: 10, inFlight: 0, queueingMs: 0 }
    const plan = { drawLimit: 50, load }
    const { admission, shop } = shopOf({ own: {}, plan, route: { police: 'batch' } })
    expect(admission.drawInBatch(shop, PAGES, 0, null, 10)).toMatchObject({ reason: 'batch' })
    expect(admission.drawInBatch(shop, SEARCH, 0, null, 10)).toMatchObject({ reason: 'share' })
  })

  it('has a limit of its own while the coordinator cannot be reached: 3/s', ({ expect }) => {
    const { admission, admitted } = shopOf({ own: { drawLimit: 100 }, route: { failure: 'local' } })
    admission.failLocally(50, 0, new Map([[KEY, 3]]))
    expect(admitted(100, 20)).toBeLessThanOrEqual(3 * 20 + 3)
  })
})
