import { describe, it } from 'vitest'
import {
  type BacklogGround,
  backlogOf,
  type Flow,
  NO_FLOW,
  recentOf,
} from '../../../src/learners/soc-lqr/backlog.ts'
import type { Pool } from '../../../src/learners/soc-lqr/pool.ts'
import type { Tick } from '../../../src/learners/soc-lqr/tick.ts'

/** S0 = 1 s, W = 2 s: the shop of Bartolini et al. 2009, §7, where 20 are served a second. */
const POOL: Pool = { meanS: 1, slackS: 2, targetS: 5, windowS: 300, variation: 1 }
const FLOW: Flow = { goodput: 20, recentS: 1, calmS: 2, backlogged: 0 }

/** A second in which 20 come and 20 are served, after `meanS` each. */
function tickOf(meanS: number, given: Partial<Tick> = {}): Tick {
  return {
    seconds: 1,
    onSessions: true,
    sessions: 2,
    requests: 20,
    offered: 20,
    load: 20,
    completed: 20,
    served: 20,
    latencyS: 20 * meanS,
    inService: 0,
    ages: [],
    offeredSessions: 0,
    contested: false,
    silent: false,
    ...given,
  }
}

const ground = (after: number, given: Partial<BacklogGround> = {}): BacklogGround => ({
  before: after,
  after,
  capacity: 0,
  cap: Number.POSITIVE_INFINITY,
  limit: Number.POSITIVE_INFINITY,
  harmless: 16,
  ...given,
})

const seen = (meanS: number, after: number, flow = FLOW) =>
  backlogOf(flow, tickOf(meanS), POOL, ground(after))

describe('backlogged: n/goodput − S0 > W and response times above S0 + W/2', () => {
  it('begins with 61 in service at 20/s, a wait of 2.05 s, and not with 59, 1.95 s', ({
    expect,
  }) => {
    expect(seen(2.1, 61).waitS).toBeCloseTo(2.05, 9)
    expect(seen(2.1, 61).backlogged).toBe(true)
    expect(seen(2.1, 59).waitS).toBeCloseTo(1.95, 9)
    expect(seen(2.1, 59).backlogged).toBe(false)
  })

  it('takes both: 61 in service that are answered in 1.9 s are a burst', ({ expect }) => {
    expect(seen(1.9, 61).backlogged).toBe(false)
  })

  it('lasts until the wait is below W/2 or responses below S0 + W/4', ({ expect }) => {
    const lasting = { ...FLOW, backlogged: 3, recentS: 2 }
    expect(seen(1.6, 41, lasting).backlogged).toBe(true)
    expect(seen(1.6, 39, lasting).backlogged).toBe(false)
    expect(seen(1.4, 41, lasting).backlogged).toBe(false)
    expect(seen(1.6, 41, lasting).flow.backlogged).toBe(4)
    expect(seen(1.4, 41, lasting).flow.backlogged).toBe(0)
  })

  it('is nothing that silence shows', ({ expect }) => {
    const silent = tickOf(9, { silent: true })
    expect(backlogOf(FLOW, silent, POOL, ground(200)).backlogged).toBe(false)
  })
})

describe('the mean response time of about the last twenty completions', () => {
  it('moves by a quarter for 5 of them, and not at all without any', ({ expect }) => {
    expect(recentOf(FLOW, tickOf(3, { served: 5, latencyS: 15 }))).toBeCloseTo(1.5, 9)
    expect(recentOf(FLOW, tickOf(0, { served: 0, latencyS: 0 }))).toBe(1)
  })
})

describe('early evidence: what piles up ahead of the response times', () => {
  it('is what exceeds load · S0 + 2 √(load · S0): at 25/s 60 are 25 too many, at 20/s 1.25 s', ({
    expect,
  }) => {
    const rising = tickOf(1, { load: 25, offered: 25, requests: 25 })
    expect(backlogOf(FLOW, rising, POOL, ground(60)).pilingS).toBeCloseTo(1.25, 9)
  })

  it('is never fewer than no origin minds: 16', ({ expect }) => {
    const few = tickOf(1, { load: 1, offered: 1, requests: 1 })
    expect(backlogOf(FLOW, few, POOL, ground(16)).pilingS).toBe(0)
  })
})

describe('is the origin busy for all of the tick?', () => {
  const known = { capacity: 20 }

  it('is, with C S0 + 2 √(2 C dt) = 32.6 waiting at its start: 33 and not 32', ({ expect }) => {
    const tick = tickOf(1)
    expect(backlogOf(FLOW, tick, POOL, ground(33, known)).busy).toBe(true)
    expect(backlogOf(FLOW, tick, POOL, ground(32, known)).busy).toBe(false)
    expect(backlogOf(FLOW, tick, POOL, ground(33)).busy).toBe(false)
  })

  it('is fed when the queue and who comes suffice: 30 − 20 waiting and 10 coming make 20', ({
    expect,
  }) => {
    const little = (requests: number) => tickOf(1, { requests, load: requests, offered: requests })
    const fed = (requests: number) =>
      backlogOf(FLOW, little(requests), POOL, ground(0, { ...known, before: 30 })).fed
    expect(fed(10)).toBe(true)
    expect(fed(9)).toBe(false)
  })
})

describe('kept busy at its cap on requests in flight', () => {
  const pool: Pool = { meanS: 0.04, slackS: 0.08, targetS: 0.2, windowS: 60, variation: 1 }
  const flow: Flow = { ...NO_FLOW, goodput: 200, recentS: 0.06 }
  const at = (given: Partial<Tick>, inFlight = 14) =>
    backlogOf(
      flow,
      tickOf(0.06, { served: 200, latencyS: 12, load: 200, offered: 300, ...given }),
      pool,
      ground(inFlight, { cap: 16, limit: 300 }),
    )

  it('shows the capacity when 14 of 16 are in flight, refusals fill every gap and 6 of them wait', ({
    expect,
  }) => {
    expect(at({}).atCap).toBe(true)
    expect(at({}).backlogged).toBe(true)
  })

  it('does not when nobody is refused, when the rate refuses, or when nothing waits', ({
    expect,
  }) => {
    expect(at({ offered: 200 }).atCap).toBe(false)
    expect(at({ load: 295, offered: 400 }).atCap).toBe(false)
    expect(at({}, 10).atCap).toBe(false)
  })
})
