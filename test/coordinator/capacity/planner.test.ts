import { describe, it } from 'vitest'
import { pastTolerance } from '../../../src/coordinator/capacity/answer.ts'
import type { Claim } from '../../../src/coordinator/capacity/arbitrate.ts'
import { CapacityPlanner, type CapacityTick } from '../../../src/coordinator/capacity/planner.ts'
import {
  type CapacityState,
  isCapacityState,
  NO_CAPACITY_STATE,
} from '../../../src/coordinator/capacity/planner-state.ts'
import { Predictor } from '../../../src/coordinator/capacity/predictor.ts'
import type { Sample } from '../../../src/learners/learner-interface.ts'
import { resolvedRoute } from '../../support/config.ts'
import { histogramOf } from '../../support/histogram.ts'

const START = 20_000 * 86_400_000
const SLA = { percentile: 95, windowMs: 60_000, targets: [{ fromRate: 0, targetMs: 1000 }] }
const REACT = { everyS: 60, pauseS: 30, maxStep: 100 }

const rulesOf = (capacity: object = {}) => resolvedRoute({ capacity }).capacity!

/** Exponential times around a mean, always the same ones. */
const exponentialMs = (mean: number, count = 100): number[] =>
  Array.from({ length: count }, (_, i) => -mean * Math.log(1 - (i + 0.5) / count))

function sampleOf(offered: number, admitted = offered): Sample {
  return {
    lengthMs: 1000,
    granularity: 'request',
    offered: { sessions: 0, requests: offered },
    admitted: { sessions: 0, requests: admitted },
    goodput: admitted,
    failures: 0,
    inFlight: 1,
    tiers: [
      {
        name: 'default',
        percentile: 95,
        targetMs: 1000,
        windowMs: 60_000,
        completed: 100,
        late: 0,
        latencyUs: 0,
        latency: histogramOf(exponentialMs(100)),
      },
    ],
    classes: [],
    ages: [],
    capacity: [],
  }
}

/** 100 visits of 20 ms in the application, 50 of 10 ms in the database: β is 0.5 there. */
const TIERS = {
  app: tierOf(100, 20, 100),
  db: tierOf(100, 10, 50),
}

function tierOf(answers: number, meanMs: number, visits: number) {
  const times = exponentialMs(meanMs, visits)
  const us = Math.round(1000 * times.reduce((sum, ms) => sum + ms, 0))
  return { answers, visits, us, times: histogramOf(times), loads: 0, loadUs: 0 }
}

const tickOf = (
  nowMs: number,
  offered: number,
  more: Partial<CapacityTick> = {},
): CapacityTick => ({
  nowMs,
  sample: sampleOf(offered),
  tiers: {},
  limit: null,
  requestsPerSession: null,
  slas: [SLA],
  classes: [{ value: 1, rate: offered, guaranteed: 0 }],
  ...more,
})

function run(
  planner: CapacityPlanner,
  seconds: number,
  offered: number,
  more: Partial<CapacityTick> = {},
  fromS = 0,
): void {
  for (let s = 0; s < seconds; s++) planner.tick(tickOf(START + (fromS + s) * 1000, offered, more))
}

describe('the planner of an origin', () => {
  it('says nothing before there is traffic', ({ expect }) => {
    const planner = new CapacityPlanner('o', rulesOf(), NO_CAPACITY_STATE)
    run(planner, 5, 0)
    expect(planner.answer).toBeNull()
  })

  it('models tiers that report their times: all at once, with visits and parts', ({ expect }) => {
    const rules = rulesOf({
      tiers: [
        { name: 'app', part: 0.6 },
        { name: 'db', part: 0.4, max: 1 },
      ],
      react: REACT,
    })
    const planner = new CapacityPlanner('o', rules, NO_CAPACITY_STATE)
    run(planner, 200, 100, { tiers: TIERS })
    const { app, db } = planner.answer!.tiers
    // The mean of the responses is a third of their 95th percentile: 1000 ms / ln 20 = 334 ms.
    expect(app!.responseMs! / (0.6 * 334)).toBeCloseTo(1, 1)
    expect(app!.serviceMs).toBeCloseTo(20, 0)
    expect(app!.source).toBe('model')
    expect(db!.visits).toBeCloseTo(0.5, 5)
    // Even arrivals (C_a² near 0) and exponential service: ρ = w / (w + 0.5), with w = (200 − 20) / 20 = 9: 0.95.
    expect(app!.serverRate! / 47).toBeCloseTo(1, 1)
    expect(app!.desired).toBe(3)
    expect(db!.desired).toBe(1)
    expect(planner.answer!.limitedBy).toBeNull()
    expect(planner.answer!.carries).toBeGreaterThan(100)
  })

  it('names the tier that cannot grow, and the rate that it carries', ({ expect }) => {
    const rules = rulesOf({
      tiers: [
        { name: 'app', part: 0.6 },
        { name: 'db', part: 0.4, max: 1 },
      ],
      react: REACT,
    })
    const planner = new CapacityPlanner('o', rules, NO_CAPACITY_STATE)
    run(planner, 200, 400, { tiers: TIERS })
    const { limitedBy, heldRate, tiers } = planner.answer!
    expect(limitedBy).toBe('db')
    // A database with s = 10 ms and β = 0.5 takes a little less than 200 requests/s of the site.
    expect(heldRate!).toBeGreaterThan(170)
    expect(heldRate!).toBeLessThan(200)
    expect(heldRate!).toBeCloseTo(tiers.db!.serverRate! / 0.5, 6)
  })

  it('uses what the learner has found where a tier tells nothing, and says so', ({ expect }) => {
    const planner = new CapacityPlanner('o', rulesOf({ react: REACT }), NO_CAPACITY_STATE)
    planner.setCurrent({ app: 2 })
    run(planner, 100, 90, { limit: 60, sample: sampleOf(90, 60) })
    const { app } = planner.answer!.tiers
    expect(app!.source).toBe('learner')
    // Two servers carry 60/s, so 90/s need three. A third of the arrivals is refused.
    expect(app!.serverRate).toBe(30)
    expect(app!.desired).toBe(3)
    expect(planner.answer!.reason).toBe('refused')
    expect(planner.answer!.heldRate).toBeNull()
  })

  it('keeps the servers where nothing at all is known', ({ expect }) => {
    const planner = new CapacityPlanner('o', rulesOf({ react: REACT }), NO_CAPACITY_STATE)
    planner.setCurrent({ app: 5 })
    run(planner, 20, 50, { sample: sampleOf(50, 0) })
    expect(planner.answer!.tiers.app).toMatchObject({ source: 'unknown', desired: 5, needed: null })
  })

  it('asks for the peak of the hour before it comes', ({ expect }) => {
    const rules = rulesOf({ tiers: [{ name: 'app', serviceMs: 20 }], startupS: 600, react: REACT })
    const predictor = new Predictor(rules.predict)
    const HOUR = 3_600_000
    for (let minute = 0; minute < 60; minute++) {
      predictor.observe(100, START - 24 * HOUR + minute * 60_000)
      predictor.observe(1000, START - 23 * HOUR + minute * 60_000)
    }
    const planner = new CapacityPlanner('o', rules, NO_CAPACITY_STATE, predictor)
    run(planner, 100, 100)
    const before = planner.answer!.tiers.app!.desired
    // The next hour begins within the time that a server needs to start.
    for (let s = 3000; s < 3070; s++) planner.tick(tickOf(START + s * 1000, 100))
    const { tiers, reason, plannedRate } = planner.answer!
    expect(before).toBeLessThanOrEqual(4)
    expect(reason).toBe('predicted')
    expect(plannedRate / 1000).toBeCloseTo(1, 1)
    expect(tiers.app!.desired).toBeGreaterThanOrEqual(20)
  })

  it('takes servers back in a time without any report', ({ expect }) => {
    const rules = rulesOf({ tiers: [{ name: 'app', serviceMs: 20 }], react: REACT })
    const planner = new CapacityPlanner('o', rules, NO_CAPACITY_STATE)
    run(planner, 100, 200)
    const busy = planner.answer!.tiers.app!.desired
    planner.setCurrent({ app: busy })
    planner.plan(START + 400_000)
    expect(busy).toBeGreaterThan(3)
    expect(planner.answer!.reason).toBe('low')
    expect(planner.answer!.tiers.app!.desired).toBe(1)
  })

  it('goes by the row of the SLA that the planned rate reaches', ({ expect }) => {
    const sla = {
      ...SLA,
      targets: [
        { fromRate: 0, targetMs: 100 },
        { fromRate: 500, targetMs: 2000 },
      ],
    }
    const rules = rulesOf({ tiers: [{ name: 'app', serviceMs: 20 }], react: REACT })
    const few = new CapacityPlanner('o', rules, NO_CAPACITY_STATE)
    run(few, 100, 499, { slas: [sla] })
    const many = new CapacityPlanner('o', rules, NO_CAPACITY_STATE)
    run(many, 100, 501, { slas: [sla] })
    expect(few.answer!.targetMs).toBe(100)
    expect(many.answer!.targetMs).toBe(2000)
    expect(many.answer!.tiers.app!.desired).toBeLessThan(few.answer!.tiers.app!.desired)
  })

  it('keeps the SLA that is the strictest at the planned rate, not the one with the strictest first row', ({
    expect,
  }) => {
    const early = { fromRate: 0, targetMs: 100 }
    const table = { ...SLA, targets: [early, { fromRate: 150, targetMs: 5000 }] }
    const other = { ...SLA, targets: [{ fromRate: 0, targetMs: 400 }] }
    const rules = rulesOf({ tiers: [{ name: 'app', serviceMs: 20 }], react: REACT })
    const targetAt = (rate: number) => {
      const planner = new CapacityPlanner('o', rules, NO_CAPACITY_STATE)
      run(planner, 100, rate, { slas: [table, other] })
      return planner.answer!.targetMs
    }
    expect(targetAt(50)).toBe(100)
    expect(targetAt(300)).toBe(400)
  })

  it('gives servers up to an origin of its group that earns more with them', ({ expect }) => {
    const rules = rulesOf({
      tiers: [{ name: 'app', serviceMs: 20 }],
      react: REACT,
      group: { name: 'all', servers: 10 },
    })
    const planner = new CapacityPlanner('o', rules, NO_CAPACITY_STATE)
    run(planner, 100, 200)
    expect(planner.answer!.tiers.app!.desired).toBeGreaterThanOrEqual(5)
    const rich: Claim = {
      name: 'rich',
      requestsPerSession: 1,
      tiers: [{ name: 'app', rate: 10, visits: 1, min: 1, max: 9 }],
      classes: [{ value: 100, rate: 80, guaranteed: 0 }],
    }
    planner.plan(START + 101_000, [rich])
    expect(planner.answer!.reason).toBe('shared')
    expect(planner.answer!.tiers.app!.desired).toBe(2)
    expect(planner.answer!.isShort).toBe(true)
  })

  it('takes a decision as done where nobody reports the servers', ({ expect }) => {
    const rules = rulesOf({
      tiers: [{ name: 'app', serviceMs: 20 }],
      startupS: 30,
      react: { ...REACT, maxStep: 2 },
    })
    const planner = new CapacityPlanner('o', rules, NO_CAPACITY_STATE)
    run(planner, 20, 400)
    expect(planner.answer!.tiers.app).toMatchObject({ current: 1, desired: 3 })
    run(planner, 300, 400, { sample: sampleOf(400, 200) }, 20)
    expect(planner.answer!.tiers.app!.desired).toBeGreaterThan(7)
  })

  it('answers the same after a restart at any tick', ({ expect }) => {
    const rules = rulesOf({ tiers: [{ name: 'app' }, { name: 'db', max: 1 }], react: REACT })
    const straight = new CapacityPlanner('o', rules, NO_CAPACITY_STATE)
    let state: CapacityState = NO_CAPACITY_STATE
    for (let s = 0; s < 90; s++) {
      const tick = tickOf(START + s * 1000, 50 + s, { tiers: TIERS })
      straight.tick(tick)
      const restarted = new CapacityPlanner('o', rules, JSON.parse(JSON.stringify(state)))
      restarted.tick(tick)
      state = restarted.state
      expect(isCapacityState(JSON.parse(JSON.stringify(state)))).toBe(true)
    }
    expect(JSON.parse(JSON.stringify(state))).toEqual(JSON.parse(JSON.stringify(straight.state)))
  })
})

describe('the number for Kubernetes, which ignores changes within 10 %', () => {
  /** The rule of the autoscaler: replicas = ceil(current · ratio), if the ratio is outside the tolerance. */
  const hpa = (current: number, value: number): number =>
    Math.abs(value / current - 1) <= 0.1 + 1e-9 ? current : Math.ceil(value)

  it('is never swallowed when more servers are needed', ({ expect }) => {
    expect(hpa(20, 21)).toBe(20)
    expect(hpa(20, pastTolerance(20, 21, 100))).toBe(23)
    for (let current = 1; current <= 200; current++)
      for (let desired = current + 1; desired <= current + 30; desired++)
        expect(hpa(current, pastTolerance(current, desired, 1000))).toBeGreaterThanOrEqual(desired)
  })

  it('is the desired number where that is enough, where fewer are needed, and at the maximum', ({
    expect,
  }) => {
    expect(pastTolerance(3, 4, 100)).toBe(4)
    expect(pastTolerance(20, 18, 100)).toBe(18)
    expect(pastTolerance(20, 21, 21)).toBe(21)
  })
})
