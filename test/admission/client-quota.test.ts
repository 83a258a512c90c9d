import { describe, it } from 'vitest'
import { ClientQuota } from '../../src/admission/client-quota.ts'
import { addressOf, Caller, countersOf, gateOf } from '../support/gates.ts'

const PLAN = { drawLimit: 50, burst: 12, classes: { default: { probability: 0.5 } } }
const HOG = '203.0.113.9'

interface Crowd {
  /** Keys of the route. */
  readonly keys?: object
  readonly share?: number
  /** Requests per second of one client that keeps no cookies. */
  readonly hog: number
  /** Requests per second of visitors who come once each, from different ranges. */
  readonly visitors: number
}

/** The admissions per second of both during one minute. */
async function minuteOf({ keys = {}, share, hog, visitors }: Crowd) {
  const { gate, route, startMs } = await gateOf(keys, PLAN, share)
  const script = new Caller(gate, { ip: HOG, keepsCookies: false })
  const admitted = { hog: 0, visitors: 0 }
  let came = 0
  for (let ms = 0; ms < 60_000; ms++) {
    const due = (rate: number): number =>
      Math.floor(((ms + 1) * rate) / 1000) - Math.floor((ms * rate) / 1000)
    for (let i = due(hog); i > 0; i--) if (script.ask(startMs + ms).kind === 'admit') admitted.hog++
    for (let i = due(visitors); i > 0; i--) {
      const visitor = new Caller(gate, { ip: addressOf(came++), keepsCookies: true })
      if (visitor.ask(startMs + ms).kind === 'admit') admitted.visitors++
    }
  }
  return { hog: admitted.hog / 60, visitors: admitted.visitors / 60, counters: countersOf(route) }
}

describe('a client that keeps no cookies, so that each request is a new visitor', () => {
  it('takes 45/s of 50/s from 100 visitors/s without fairness', async ({ expect }) => {
    const { hog, visitors } = await minuteOf({ keys: { fairness: false }, hog: 900, visitors: 100 })
    expect(hog).toBeGreaterThan(43)
    expect(visitors).toBeLessThan(7)
  })

  it('gets a quarter by default, and the visitors get the rest', async ({ expect }) => {
    const { hog, visitors } = await minuteOf({ hog: 900, visitors: 100 })
    expect(hog).toBeLessThan(13)
    expect(visitors).toBeGreaterThan(37)
    expect(hog + visitors).toBeGreaterThan(49)
  })

  it('gets more than a quarter if the visitors do not use it: 30 of 50/s', async ({ expect }) => {
    const { hog, visitors } = await minuteOf({ hog: 900, visitors: 20 })
    expect(visitors).toBeGreaterThan(19.5)
    expect(hog + visitors).toBeGreaterThan(49)
  })

  it('gets everything if it is alone, like a load test from one machine', async ({ expect }) => {
    const { hog, counters } = await minuteOf({ hog: 900, visitors: 0 })
    expect(hog).toBeGreaterThan(49.5)
    expect(counters.overQuota).toBe(0)
  })

  it('is limited even where draws enforce the limit: 2/s in this isolate', async ({ expect }) => {
    // Both are admitted with probability 0.5, up to the guard of twice 2/s.
    const crowd = { hog: 40, visitors: 4, share: 0.04 }
    const unlimited = await minuteOf({ ...crowd, keys: { fairness: false } })
    expect(unlimited.hog).toBeGreaterThan(3 * unlimited.visitors)
    const { hog, visitors } = await minuteOf(crowd)
    expect(hog).toBeLessThan(0.3 * (hog + visitors))
  })

  it('is not counted as offered when over quota, but as over quota', async ({ expect }) => {
    const { counters } = await minuteOf({ hog: 900, visitors: 100 })
    const { offered, overQuota } = counters.drain()
    expect(offered + overQuota).toBe(60_000)
    expect(overQuota).toBeGreaterThan(40_000)
    expect(counters.drain().overQuota).toBe(0)
  })
})

describe('the key of a client', () => {
  /** How often a client with these headers is over quota, in a thousand requests in ten seconds with other clients. */
  async function countOverQuota(by: unknown, headersOf: (i: number) => Record<string, string>) {
    const keys = { fairness: { by, maxShare: 0.1, minAdmissions: 1 } }
    const plan = { ...PLAN, drawLimit: 10 }
    const { gate, startMs } = await gateOf(keys, plan)
    let overQuota = 0
    for (let ms = 0; ms < 10_000; ms += 10) {
      const other = new Caller(gate, { ip: addressOf(ms), keepsCookies: false })
      if (ms % 20 === 0) other.ask(startMs + ms)
      const hog = new Caller(gate, { ip: HOG, keepsCookies: false, headers: headersOf(ms) })
      if (hog.ask(startMs + ms).reason === 'fairness') overQuota++
    }
    return overQuota
  }

  it('is a header, whatever the address', async ({ expect }) => {
    const by = { header: 'X-Api-Key' }
    expect(await countOverQuota(by, () => ({ 'X-Api-Key': 'k1' }))).toBeGreaterThan(500)
    expect(await countOverQuota(by, (i) => ({ 'X-Api-Key': `k${i}` }))).toBe(0)
  })

  it('is a cookie', async ({ expect }) => {
    const by = { cookie: 'member' }
    expect(await countOverQuota(by, () => ({ Cookie: 'a=1; member=7' }))).toBeGreaterThan(500)
    expect(await countOverQuota(by, (i) => ({ Cookie: `a=1; member=${i}` }))).toBe(0)
  })

  it('is the range of the address if the header is missing', async ({ expect }) => {
    expect(await countOverQuota({ header: 'X-Api-Key' }, () => ({}))).toBeGreaterThan(500)
  })

  it('may be unknown: then there is no quota', async ({ expect }) => {
    const { gate, route, startMs } = await gateOf({}, { ...PLAN, drawLimit: 0 })
    const { view } = gate.enter(new Request('https://shop.example.com/'))!
    for (let i = 0; i < 100; i++) void route.decide(view, startMs + i)
    expect(countersOf(route)).toMatchObject({ offered: 100, overQuota: 0 })
  })
})

describe('the mode "observe"', () => {
  it('counts which requests it would refuse, admits them, and counts them as offered', async ({
    expect,
  }) => {
    const { counters } = await minuteOf({ keys: { mode: 'observe' }, hog: 900, visitors: 100 })
    const { offered, admitted, wouldRefuse, overQuota } = counters.drain()
    expect({ offered, admitted, overQuota }).toEqual({
      offered: 60_000,
      admitted: 60_000,
      overQuota: 0,
    })
    expect(wouldRefuse).toBeGreaterThan(50_000)
  })
})

describe('a client’s quota', () => {
  const RULES = { by: 'ip', maxShare: 0.25, minAdmissions: 5 } as const

  it('applies for ten seconds after another client was refused', ({ expect }) => {
    const share = new ClientQuota(RULES, 0.5, 0)
    for (let i = 0; i < 20; i++) share.admitted(1, 0)
    expect(share.isOverQuota(1, 0)).toBe(false)
    share.refused(2, 1000)
    expect(share.isOverQuota(1, 1000)).toBe(true)
    expect(share.isOverQuota(1, 10_999)).toBe(true)
    expect(share.isOverQuota(1, 11_000)).toBe(false)
  })

  it('does not apply because the client itself was refused', ({ expect }) => {
    const share = new ClientQuota({ ...RULES, minAdmissions: 0 }, 0.5, 0)
    for (let i = 0; i < 5; i++) share.admitted(i, 0)
    share.refused(1, 0)
    share.refused(1, 5)
    for (let i = 0; i < 20; i++) share.admitted(1, 10)
    expect(share.isOverQuota(1, 10)).toBe(false)
    share.refused(2, 20)
    expect(share.isOverQuota(1, 20)).toBe(true)
  })

  it('does not apply because of a client that is over its own quota', ({ expect }) => {
    const share = new ClientQuota(RULES, 0.5, 0)
    for (let i = 0; i < 20; i++) share.admitted(i % 2, 0)
    share.refused(0, 1000)
    share.refused(1, 1000)
    expect([share.isOverQuota(0, 1000), share.isOverQuota(1, 1000)]).toEqual([false, false])
  })
})
