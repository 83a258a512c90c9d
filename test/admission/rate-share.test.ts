import { describe, it } from 'vitest'
import { ClassState } from '../../src/admission/class-state.ts'
import { RateShare } from '../../src/admission/rate-share.ts'
import { routeOf } from '../support/requests.ts'

/** One of a hundred isolates under a limit of 100/s, with a lease that holds only classes that the plan draws. */
function isolate(load: number, asks?: number) {
  const share = new RateShare(0)
  const limit = { drawLimit: 100, inFlightCap: null, burst: 3, isAllIn: false }
  const ofAsking = asks === undefined ? {} : { asks }
  const lease = { load, forMs: 60_000, holds: 'drawn', ...ofAsking } as const
  const part = { share: 0.01, fairPart: 0.01, lease }
  share.follow({ ...limit, highestCost: 1, lowestCost: 1 }, part, 0)
  const gold = new ClassState(routeOf({}), () => 0.5, 0)
  gold.probability = 1
  const admitted = (perSecond: number, seconds: number) =>
    Array.from({ length: perSecond * seconds }, (_, i) => (i * 1000) / perSecond).filter((nowMs) =>
      share.admitByPlan(gold, 0, nowMs),
    ).length
  return { share, gold, admitted }
}

describe('a class that the plan lets in as a whole', () => {
  it('passes without the lease, up to the share of its isolate', ({ expect }) => {
    const { admitted, share } = isolate(5)
    // A visitor a second is this isolate's share of 100/s.
    expect(admitted(1, 20)).toBe(20)
    // The lease is as it was.
    const bronze = new ClassState(routeOf({}), () => 0.5, 0)
    bronze.probability = 0.5
    const taken = Array.from({ length: 100 }, () => share.admitByPlan(bronze, 0, 20_000))
    expect(taken.filter(Boolean)).toHaveLength(5)
  })

  it('is held in a surge that the plan does not know of: ten times the share for ten seconds', ({
    expect,
  }) => {
    const { admitted } = isolate(3)
    const passed = admitted(10, 10)
    // The share, with what random arrivals need, the lease, and one.
    expect(passed).toBeLessThanOrEqual(10 * 1.25 + 3 + 1)
    expect(passed).toBeGreaterThanOrEqual(10)
  })

  it('asks the relay before anybody is refused', ({ expect }) => {
    const { share, gold } = isolate(0)
    expect(share.wantsMore(gold, 0)).toBe(false)
    expect(share.admitByPlan(gold, 0, 0)).toBe(true)
    expect(share.wantsMore(gold, 0)).toBe(true)
    expect(share.admitByPlan(gold, 0, 0)).toBe(false)
  })
})

describe('a draw that finds no admission in the lease', () => {
  /** How many of 100 draws ask, in a class that the plan admits to a tenth. */
  const asking = (load: number, asks?: number): number => {
    const { share, gold } = isolate(load, asks)
    gold.probability = 0.1
    return Array.from({ length: 100 }, () => share.wantsMore(gold, 0)).filter(Boolean).length
  }

  it('asks the relay for one, where it lends them one by one: twice as many as can be admitted', ({
    expect,
  }) => {
    expect(asking(0, 2)).toBe(20)
  })

  it('is refused without a question, where leases are given in advance', ({ expect }) => {
    expect(asking(0)).toBe(0)
  })

  it('is none as long as something is left', ({ expect }) => {
    expect(asking(1, 2)).toBe(0)
  })
})

describe('a lease', () => {
  it('holds a class until its time is over, and then the plan draws it again', ({ expect }) => {
    const { share } = isolate(0)
    const bronze = new ClassState(routeOf({}), () => 0.5, 0)
    bronze.probability = 0.5
    const admitted = (nowMs: number) =>
      Array.from({ length: 4 }, () => share.admitByPlan(bronze, 0, nowMs)).filter(Boolean).length
    expect(admitted(59_999)).toBe(0)
    expect(admitted(60_000)).toBe(2)
  })
})
