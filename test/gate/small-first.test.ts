import { describe, it } from 'vitest'
import { Caller, countersOf, gateOf } from '../support/gates.ts'
import { planOf } from '../support/requests.ts'

// Half of 100 requests/s take 1 ms, half 50 ms: 25.5 ms on average. The origin can serve 50/s of them.
const SEARCH = '/search'
const REPORT = '/report'
const LOAD = { servers: 1.275, serviceMs: 25.5, inFlight: 0, queueingMs: 0 }
const PLAN = { drawLimit: 50, burst: 12, classes: { default: { probability: 0.5 } } }

interface Given {
  readonly smallFirst: boolean
  readonly share?: number
  readonly perSecond?: number
}

/** Admissions per second of each size, after ten seconds of plans, and their service time. */
async function minuteOf({ smallFirst, share = 1, perSecond = 100 }: Given) {
  const keys = { granularity: 'request', fairness: false, order: 'density', smallFirst }
  const { gate, route, startMs } = await gateOf(keys, PLAN, share)
  const { origin } = route
  for (const [path, ms] of [
    [SEARCH, 1],
    [REPORT, 50],
  ] as const) {
    const request = origin.open.begin(countersOf(route), 0)
    request.headersReceived(ms, true)
    origin.costs!.observe('shop', path, request, null)
    request.settle('served')
  }
  const caller = new Caller(gate, { ip: '203.0.113.9', keepsCookies: false })
  const admitted = { [SEARCH]: 0, [REPORT]: 0 }
  for (let i = 0; i < 70 * perSecond; i++) {
    const ms = (i * 1000) / perSecond
    const path = i % 2 === 0 ? SEARCH : REPORT
    if (i % perSecond === 0)
      origin.admission.follow({ ...planOf(PLAN), load: LOAD }, { share }, startMs + ms)
    const isAdmitted = caller.ask(startMs + ms, path).kind === 'admit'
    if (isAdmitted && ms >= 10_000) admitted[path]++
  }
  const [searches, reports] = [admitted[SEARCH] / 60, admitted[REPORT] / 60]
  return { searches, reports, workMs: searches * 1 + reports * 50 }
}

describe('small requests first (Urgaonkar and Shenoy 2005, §3.1)', () => {
  it('admits all 50 searches and 24 reports, where 25 of each would be the same load', async ({
    expect,
  }) => {
    const blind = await minuteOf({ smallFirst: false })
    expect(blind.searches + blind.reports).toBeCloseTo(50, 0)
    const { searches, reports, workMs } = await minuteOf({ smallFirst: true })
    expect(searches).toBeGreaterThan(49)
    // (50 × 25.5 ms − 50 × 1 ms) / 50 ms = 24.5
    expect(Math.abs(reports - 24.5)).toBeLessThan(1)
    expect(workMs).toBeLessThan(1.02 * 50 * 25.5)
  })

  it('does so by draws if the isolate’s share is too small for a bucket', async ({ expect }) => {
    const { searches, reports } = await minuteOf({ smallFirst: true, share: 0.04, perSecond: 4 })
    expect(searches).toBeGreaterThan(1.95)
    expect(Math.abs(reports - 0.98)).toBeLessThan(0.1)
  })

  it('admits large requests if small ones leave capacity, before a plan knows of it', async ({
    expect,
  }) => {
    // 40 requests/s are less than the limit; the plan still says one half.
    const { searches, reports } = await minuteOf({ smallFirst: true, perSecond: 40 })
    expect([searches, reports]).toEqual([20, 20])
  })
})
