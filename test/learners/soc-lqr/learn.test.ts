import { describe, it } from 'vitest'
import type { Assessment } from '../../../src/learners/soc-lqr/judge.ts'
import { type Knowledge, nothingKnown } from '../../../src/learners/soc-lqr/knowledge.ts'
import { type LearnGround, learn } from '../../../src/learners/soc-lqr/learn.ts'
import { SOC_LQR_OPTIONS } from '../../../src/learners/soc-lqr/options.ts'
import { resolveOptions } from '../../../src/lib/option-table.ts'

const NOTHING = nothingKnown(1.5)
/** C = 20/s: with κ = 1.5 and W = 2 s the load may be 19.25/s. */
const KNOWN: Knowledge = { ...NOTHING, capacity: { ...NOTHING.capacity, rate: 20, weight: 4000 } }

const GROUND: LearnGround = {
  pool: { meanS: 1, slackS: 2, targetS: 5, windowS: 300, variation: 1 },
  options: resolveOptions(SOC_LQR_OPTIONS),
  onSessions: true,
  tickS: 1,
  lagS: 120,
  aim: 0.4,
  atCap: false,
  isPeakAhead: false,
}

/** 100 completions at the limit that spent a quarter more than is aimed at. */
const VERDICT: Assessment = {
  seconds: 5,
  completed: 100,
  requests: 96,
  load: 19.2,
  queueing: 1,
  certainQueueing: 0.9,
  spent: 0.5,
  within: 0,
}

describe('what an interval teaches', () => {
  it('is more headroom when too much is over the target: 5/(300/1.4) · 0.25', ({ expect }) => {
    // 1.5 lags of 120 + 1 + 2 + 5 s, 192 s, are less than 300/1.4 = 214 s.
    expect(learn(KNOWN, VERDICT, GROUND).headroom).toBeCloseTo(1.5 + (5 / (300 / 1.4)) * 0.25, 12)
  })

  it('is nothing about the limit below 0.85 of it, as long as little is over the target', ({
    expect,
  }) => {
    const below = learn(KNOWN, { ...VERDICT, load: 16, spent: 0.3 }, GROUND)
    expect(below).toEqual(KNOWN)
    const late = learn(KNOWN, { ...VERDICT, load: 16, spent: 0.5 }, GROUND)
    expect(late.headroom).toBeGreaterThan(1.5)
  })

  it('is nothing while what was admitted before a change is still there', ({ expect }) => {
    const settling = { ...KNOWN, settling: true }
    expect(learn(settling, { ...VERDICT, spent: 20 }, GROUND)).toBe(settling)
  })

  it('does not trim the cap of a session route, which has none', ({ expect }) => {
    const late = { ...VERDICT, spent: 20 }
    expect(learn(KNOWN, late, GROUND).inFlight.trim).toBe(1)
    expect(learn(KNOWN, late, { ...GROUND, onSessions: false }).inFlight.trim).toBeLessThan(1)
  })

  it('is how much more may come, while nothing is known: 1.41 times 0.9 of 19.2/s', ({
    expect,
  }) => {
    // The lower end of 100 completions, and e^(0.15 · 300/130) as D + 10 ticks are 130 s.
    const { growth } = learn(NOTHING, { ...VERDICT, certainQueueing: 0 }, GROUND)
    expect(growth.load).toBeCloseTo(19.2 * 0.9 * Math.exp(45 / 130), 9)
  })

  it('is the capacity, when queueing lasts: 100 in 5 s are 20/s', ({ expect }) => {
    const { capacity, settling } = learn(NOTHING, { ...VERDICT, certainQueueing: 2 }, GROUND)
    expect(capacity.rate).toBeCloseTo(20, 9)
    expect(settling).toBe(true)
  })
})

describe('slow service that was taken for a queue', () => {
  it('gives back what was measured and trimmed because of it: 0.9 of the 20/s carried before', ({
    expect,
  }) => {
    const strangled: Knowledge = {
      ...KNOWN,
      capacity: { ...KNOWN.capacity, rate: 4 },
      inFlight: { ...KNOWN.inFlight, trim: 0.5 },
      settling: true,
    }
    const { capacity, inFlight, settling } = learn(strangled, { ...VERDICT, within: 20 }, GROUND)
    expect(capacity.rate).toBeCloseTo(18, 12)
    expect(inFlight.trim).toBe(1)
    expect(settling).toBe(false)
    // A capacity that is known to be larger stays.
    expect(learn(KNOWN, { ...VERDICT, within: 20 }, GROUND).capacity.rate).toBe(20)
  })
})
