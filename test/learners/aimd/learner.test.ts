import { describe, it } from 'vitest'
import {
  decreased,
  increased,
  paceOf,
  relativeError,
  smooth,
  startRate,
} from '../../../src/learners/aimd/law.ts'
import { AimdLearner } from '../../../src/learners/aimd/learner.ts'
import { AIMD_OPTIONS } from '../../../src/learners/aimd/options.ts'
import { resolveOptions } from '../../../src/lib/option-table.ts'
import { tick, tierTick, times } from '../../support/samples.ts'

const o = resolveOptions(AIMD_OPTIONS)
const additive = resolveOptions(AIMD_OPTIONS, { relative: false })

describe("SEDA's response-time controller (Welsh and Culler 2003, §3.2 and Fig. 4)", () => {
  it('smooths cur = 0.7 cur + 0.3 samp: 1000 ms and then 2000 ms give 1300 ms', ({ expect }) => {
    expect(smooth(1000, 2000, o)).toBeCloseTo(1300, 9)
  })

  it('starts cur with the first sample and not with 0, which would delay the first decrease', ({
    expect,
  }) => {
    expect(smooth(null, 1500, o)).toBe(1500)
  })

  it('divides by 1.2 above the target: 12/s at err = 0.3 becomes 10/s', ({ expect }) => {
    expect(paceOf(relativeError(1300, 1000), o)).toBe('slow')
    expect(decreased(12, o)).toBeCloseTo(10, 12)
  })

  it('adds −(err + 0.1)·2 below half the target: at err = −0.6 that is 1/s, at −1 it is 1.8/s', ({
    expect,
  }) => {
    expect(increased(10, -0.6, 100, additive)).toBeCloseTo(11, 12)
    expect(increased(10, -1, 100, additive)).toBeCloseTo(11.8, 12)
  })

  it('keeps the rate between err = −0.5 and err = 0, ends included', ({ expect }) => {
    expect([-0.5, -0.2, 0].map((error) => paceOf(error, o))).toEqual(['steady', 'steady', 'steady'])
  })

  it('adds 0.9 × 2 % of the rate by default, and of 10/s below it: 100/s grows by 1.8/s, 1/s by 0.18/s', ({
    expect,
  }) => {
    expect(increased(100, -1, 1000, o)).toBeCloseTo(101.8, 12)
    expect(increased(1, -1, 1000, o)).toBeCloseTo(1.18, 12)
  })

  it('stays between rate_min and rate_max: 0.05/s and 5000/s', ({ expect }) => {
    expect(decreased(0.055, o)).toBe(0.05)
    expect(increased(4999, -1, 1e6, o)).toBe(5000)
  })

  it('does not rise beyond twice the offered rate, and does not fall because traffic is low', ({
    expect,
  }) => {
    expect(increased(10, -1, 5.05, o)).toBe(10.1)
    expect(increased(10, -1, 2, o)).toBe(10)
  })

  it('starts at 10/s, or from the served rate if that is higher: with headroom, or cut if slow', ({
    expect,
  }) => {
    expect(startRate(3, 'fast', o)).toBe(10)
    expect(startRate(300, 'fast', o)).toBe(600)
    expect(startRate(300, 'slow', o)).toBe(250)
  })
})

describe('the aimd learner', () => {
  it('has no limit before the first requests complete', ({ expect }) => {
    const learner = new AimdLearner()
    expect(learner.update(tick({ offered: 50 }))).toEqual({ limit: null, reason: 'cold' })
  })

  it('cuts by 1.2 each second that the percentile is over the target', ({ expect }) => {
    const learner = new AimdLearner()
    learner.update(tick({ offered: 120, timesMs: times(120, 100) }))
    const slow = tick({ offered: 120, timesMs: times(120, 9000) })
    expect(learner.update(slow).limit).toBeCloseTo(240 / 1.2, 9)
    expect(learner.update(slow).limit).toBeCloseTo(240 / 1.44, 9)
  })

  it('does not raise the limit in a second without completed requests', ({ expect }) => {
    const learner = new AimdLearner()
    const { limit } = learner.update(tick({ offered: 40, timesMs: times(40, 100) }))
    expect(learner.update(tick({ offered: 40 }))).toEqual({ limit, reason: 'no-data' })
  })

  it('counts failures as over the target: 6 of 100 move the 95th percentile above it', ({
    expect,
  }) => {
    const five = new AimdLearner()
    const six = new AimdLearner()
    expect(five.update(tick({ timesMs: times(95, 100), failed: 5 })).reason).toBe('fast')
    expect(six.update(tick({ timesMs: times(94, 100), failed: 6 })).reason).toBe('slow')
  })

  it("uses the SLA's percentile by default, and SEDA's 90th if set", ({ expect }) => {
    const eightSlow = tick({ timesMs: [...times(92, 100), ...times(8, 5000)] })
    expect(new AimdLearner().update(eightSlow).reason).toBe('slow')
    expect(new AimdLearner({ percentile: 90 }).update(eightSlow).reason).toBe('fast')
  })

  it('lets the slowest tier decide, and ignores a tier without completed requests', ({
    expect,
  }) => {
    const pages = tierTick({ name: 'page', timesMs: times(50, 100) })
    const slow = tierTick({ name: 'search', timesMs: times(50, 3000) })
    const silent = tierTick({ name: 'search' })
    expect(new AimdLearner().update(tick({ tiers: [pages, slow] })).reason).toBe('slow')
    expect(new AimdLearner().update(tick({ tiers: [pages, silent] })).reason).toBe('fast')
  })

  it('runs after nreq = 100 completed requests or after 1 s, whichever is first', ({ expect }) => {
    const learner = new AimdLearner()
    const short = { lengthMs: 200, offered: 250 }
    expect(learner.update(tick({ ...short, timesMs: times(50, 100) })).reason).toBe('cold')
    expect(learner.update(tick({ ...short, timesMs: times(50, 100) })).reason).toBe('fast')
    const seldom = new AimdLearner()
    const ticks = [1, 2, 3, 4, 5].map(() => tick({ ...short, timesMs: times(3, 100) }))
    const reasons = ticks.map((sample) => seldom.update(sample).reason)
    expect(reasons).toEqual(['cold', 'cold', 'cold', 'cold', 'fast'])
  })

  it('follows a target that changes: 800 ms is slow at 700 ms and steady at 1000 ms', ({
    expect,
  }) => {
    const timesMs = times(100, 800)
    expect(new AimdLearner().update(tick({ timesMs, targetMs: 700 })).reason).toBe('slow')
    expect(new AimdLearner().update(tick({ timesMs, targetMs: 1000 })).reason).toBe('steady')
  })

  it('counts sessions if the route does', ({ expect }) => {
    const learner = new AimdLearner()
    const sample = {
      ...tick({ granularity: 'session', timesMs: times(200, 100) }),
      offered: { sessions: 20, requests: 200 },
      admitted: { sessions: 20, requests: 200 },
    }
    expect(learner.update(sample).limit).toBe(40)
  })
})
