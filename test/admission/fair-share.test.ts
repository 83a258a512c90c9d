import { describe, it } from 'vitest'
import { FairShare } from '../../src/admission/fair-share.ts'
import { addressOf, Caller, countersOf, gateOf } from '../support/gates.ts'

const ROOM = { drawLimit: 50, burst: 12, classes: { default: { probability: 0.5 } } }
const HOG = '203.0.113.9'

interface Crowd {
  /** Keys of the route. */
  readonly keys?: object
  readonly share?: number
  /** Requests per second of one client that keeps no cookies, */
  readonly hog: number
  /** and of visitors who come once each, from everywhere. */
  readonly visitors: number
}

/** What a minute of both brings each, in admissions per second. */
async function minuteOf({ keys = {}, share, hog, visitors }: Crowd) {
  const { gate, route, startMs } = await gateOf(keys, ROOM, share)
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
  return { hog: admitted.hog / 60, visitors: admitted.visitors / 60, tally: countersOf(route) }
}

describe('a client that keeps no cookies, and is a new visitor each time', () => {
  it('would take 45/s of 50/s from 100 visitors/s where nothing bounds it', async ({ expect }) => {
    const { hog, visitors } = await minuteOf({ keys: { fairness: false }, hog: 900, visitors: 100 })
    expect(hog).toBeGreaterThan(43)
    expect(visitors).toBeLessThan(7)
  })

  it('has a quarter by default, and the visitors the rest', async ({ expect }) => {
    const { hog, visitors } = await minuteOf({ hog: 900, visitors: 100 })
    expect(hog).toBeLessThan(13)
    expect(visitors).toBeGreaterThan(37)
    expect(hog + visitors).toBeGreaterThan(49)
  })

  it('has what the visitors leave where they leave more: 30 of 50/s', async ({ expect }) => {
    const { hog, visitors } = await minuteOf({ hog: 900, visitors: 20 })
    expect(visitors).toBeGreaterThan(19.5)
    expect(hog + visitors).toBeGreaterThan(49)
  })

  it('has everything where it is alone: a load test from one machine', async ({ expect }) => {
    const { hog, tally } = await minuteOf({ hog: 900, visitors: 0 })
    expect(hog).toBeGreaterThan(49.5)
    expect(tally.overQuota).toBe(0)
  })

  it('is bound where draws hold the room too: 2/s of this isolate', async ({ expect }) => {
    // Both are drawn with a half, up to the guard of twice 2/s.
    const crowd = { hog: 40, visitors: 4, share: 0.04 }
    const unbound = await minuteOf({ ...crowd, keys: { fairness: false } })
    expect(unbound.hog).toBeGreaterThan(3 * unbound.visitors)
    const { hog, visitors } = await minuteOf(crowd)
    expect(hog).toBeLessThan(0.3 * (hog + visitors))
  })

  it('is not among the offered, and counted by itself', async ({ expect }) => {
    const { tally } = await minuteOf({ hog: 900, visitors: 100 })
    const { offered, overQuota } = tally.drain()
    expect(offered + overQuota).toBe(60_000)
    expect(overQuota).toBeGreaterThan(40_000)
    expect(tally.drain().overQuota).toBe(0)
  })
})

describe('who is one client', () => {
  /** How often a client with these headers is bound, of a thousand requests in ten seconds beside others. */
  async function bound(by: unknown, headersOf: (i: number) => Record<string, string>) {
    const keys = { fairness: { by, maxShare: 0.1, minAdmissions: 1 } }
    const plan = { ...ROOM, drawLimit: 10 }
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

  it('is who sends the same header, wherever from', async ({ expect }) => {
    const by = { header: 'X-Api-Key' }
    expect(await bound(by, () => ({ 'X-Api-Key': 'k1' }))).toBeGreaterThan(500)
    expect(await bound(by, (i) => ({ 'X-Api-Key': `k${i}` }))).toBe(0)
  })

  it('is who sends the same cookie', async ({ expect }) => {
    const by = { cookie: 'member' }
    expect(await bound(by, () => ({ Cookie: 'a=1; member=7' }))).toBeGreaterThan(500)
    expect(await bound(by, (i) => ({ Cookie: `a=1; member=${i}` }))).toBe(0)
  })

  it('is the range of the address where the header is missing', async ({ expect }) => {
    expect(await bound({ header: 'X-Api-Key' }, () => ({}))).toBeGreaterThan(500)
  })

  it('is nobody where nothing tells: then nobody is bound', async ({ expect }) => {
    const { gate, route, startMs } = await gateOf({}, { ...ROOM, drawLimit: 0 })
    const { view } = gate.enter(new Request('https://shop.example.com/'))!
    for (let i = 0; i < 100; i++) void route.decide(view, startMs + i)
    expect(countersOf(route)).toMatchObject({ offered: 100, overQuota: 0 })
  })
})

describe('the mode "observe"', () => {
  it('says who would be refused, lets them through, and counts them as offered', async ({
    expect,
  }) => {
    const { tally } = await minuteOf({ keys: { mode: 'observe' }, hog: 900, visitors: 100 })
    const { offered, admitted, wouldRefuse, overQuota } = tally.drain()
    expect({ offered, admitted, overQuota }).toEqual({
      offered: 60_000,
      admitted: 60_000,
      overQuota: 0,
    })
    expect(wouldRefuse).toBeGreaterThan(50_000)
  })
})

describe('a client’s part', () => {
  const RULES = { by: 'ip', maxShare: 0.25, minAdmissions: 5 } as const

  it('binds for ten seconds after somebody else was refused, and no longer', ({ expect }) => {
    const share = new FairShare(RULES, 0.5, 0)
    for (let i = 0; i < 20; i++) share.admitted(1, 0)
    expect(share.isOverQuota(1, 0)).toBe(false)
    share.refused(2, 1000)
    expect(share.isOverQuota(1, 1000)).toBe(true)
    expect(share.isOverQuota(1, 10_999)).toBe(true)
    expect(share.isOverQuota(1, 11_000)).toBe(false)
  })

  it('does not bind because it was refused itself, whoever came between', ({ expect }) => {
    const share = new FairShare({ ...RULES, minAdmissions: 0 }, 0.5, 0)
    for (let i = 0; i < 5; i++) share.admitted(i, 0)
    share.refused(1, 0)
    share.refused(1, 5)
    for (let i = 0; i < 20; i++) share.admitted(1, 10)
    expect(share.isOverQuota(1, 10)).toBe(false)
    share.refused(2, 20)
    expect(share.isOverQuota(1, 20)).toBe(true)
  })

  it('is not missed by one who has had theirs already', ({ expect }) => {
    const share = new FairShare(RULES, 0.5, 0)
    for (let i = 0; i < 20; i++) share.admitted(i % 2, 0)
    share.refused(0, 1000)
    share.refused(1, 1000)
    expect([share.isOverQuota(0, 1000), share.isOverQuota(1, 1000)]).toEqual([false, false])
  })
})
