import fc from 'fast-check'
import { describe, it } from 'vitest'
import {
  type Growth,
  type GrowthEvidence,
  headroomOf,
  NO_GROWTH,
  observeGrowth,
  scaleGrowth,
  shownCapacity,
  startGrowth,
} from '../../../src/learners/soc-lqr/growth.ts'

/** 100 completions at 10/s, without a queue. */
const CALM: GrowthEvidence = {
  load: 10,
  completions: 100,
  seconds: 10,
  spanS: 8,
  queueing: 0,
  spent: 0,
  headroom: 1.5,
}

describe('bounded growth while the capacity is unknown', () => {
  it('starts where no origin minds, once', ({ expect }) => {
    const started = startGrowth(NO_GROWTH, 16)
    expect(started.load).toBe(16)
    expect(startGrowth(started, 99).load).toBe(16)
  })

  it('has proven the lower end of what was carried, 10 (1 − 1/√100) = 9, and allows 1.5 times that', ({
    expect,
  }) => {
    const { proven, load } = observeGrowth(NO_GROWTH, CALM)
    expect(proven).toBeCloseTo(9, 12)
    expect(load).toBeCloseTo(13.5, 12)
  })

  it('does not shrink because few come: 1/s after that leaves 13.5', ({ expect }) => {
    const grown = observeGrowth(NO_GROWTH, CALM)
    expect(observeGrowth(grown, { ...CALM, load: 1 }).load).toBeCloseTo(13.5, 12)
  })

  it('yields to queueing: at z = 2 no more than 0.7 of the 20/s that queue, were 30 allowed', ({
    expect,
  }) => {
    const growth: Growth = { ...NO_GROWTH, proven: 9, load: 30 }
    const { proven, load } = observeGrowth(growth, { ...CALM, load: 20, queueing: 2 })
    expect(load).toBeCloseTo(14, 12)
    expect(proven).toBe(9)
  })

  it('takes back what seemed proven: 25/s that queue at 20 (1 − 1/√100) were 18', ({ expect }) => {
    const growth: Growth = { ...NO_GROWTH, proven: 25, load: 30 }
    const { proven } = observeGrowth(growth, { ...CALM, load: 20, queueing: 2 })
    expect(proven).toBeCloseTo(18, 12)
  })

  it('neither grows nor yields much at z = 0.8: 1 + 0.5 · 0.2 times what is carried', ({
    expect,
  }) => {
    const growth: Growth = { ...NO_GROWTH, proven: 9, load: 30 }
    expect(observeGrowth(growth, { ...CALM, load: 20, queueing: 0.8 }).load).toBeCloseTo(22, 12)
  })

  it('never allows more than e^0.7 times the largest load that came, or the start', ({
    expect,
  }) => {
    const evidence: fc.Arbitrary<GrowthEvidence> = fc.record({
      load: fc.double({ min: 0, max: 1000, noNaN: true }),
      completions: fc.integer({ min: 1, max: 5000 }),
      seconds: fc.double({ min: 0.1, max: 600, noNaN: true }),
      spanS: fc.double({ min: 0, max: 60, noNaN: true }),
      queueing: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 50, noNaN: true })),
      spent: fc.double({ min: 0, max: 20, noNaN: true }),
      headroom: fc.double({ min: 1.22, max: Math.exp(0.7), noNaN: true }),
    })
    fc.assert(
      fc.property(fc.array(evidence, { maxLength: 40 }), (all) => {
        let growth = startGrowth(NO_GROWTH, 16)
        let largest = 0
        for (const next of all) {
          growth = observeGrowth(growth, next)
          largest = Math.max(largest, next.load)
          const most = Math.max(16, Math.exp(0.7) * largest)
          expect(growth.load).toBeLessThanOrEqual(most * (1 + 1e-9))
        }
      }),
    )
  })
})

describe('how far beyond what is proven', () => {
  const of = (lagS: number, windowS: number, spent = 0) =>
    headroomOf(
      { ...NO_GROWTH, recent: { ...NO_GROWTH.recent, spent } },
      { lagS, windowS, part: 0.15 },
    )

  it('is e^(0.15 · 300/130) = 1.41: excess sessions of D = 130 s are gone in 0.15 of a window', ({
    expect,
  }) => {
    expect(of(130, 300)).toBeCloseTo(Math.exp(45 / 130), 12)
  })

  it('is less where much is over the target already, and e^0.2 = 1.22 at the least', ({
    expect,
  }) => {
    expect(of(130, 300, 0.2)).toBeCloseTo(Math.exp((0.8 * 45) / 130), 12)
    expect(of(130, 300, 3)).toBeCloseTo(1.2214, 4)
  })

  it('is e^0.7 = 2.01 at the most, on routes without sessions', ({ expect }) => {
    expect(of(0, 60)).toBeCloseTo(2.0138, 4)
  })

  it('is e^0.35 = 1.42 at the most where sessions are short: nobody knows yet what they ask when they wait', ({
    expect,
  }) => {
    expect(of(10, 300)).toBeCloseTo(Math.exp(0.35), 9)
  })
})

describe('lasting queueing shows the capacity, although it is no backlog', () => {
  it('is what is served meanwhile, after 100 completions: 100 in 8 s are 12.5/s', ({ expect }) => {
    const slow = { ...CALM, load: 14, seconds: 8, queueing: 1.5 }
    expect(shownCapacity(observeGrowth(NO_GROWTH, slow))).toBeCloseTo(12.5, 9)
    const few = { ...slow, completions: 50, seconds: 4 }
    expect(shownCapacity(observeGrowth(NO_GROWTH, few))).toBeNull()
    expect(shownCapacity(observeGrowth(NO_GROWTH, { ...slow, queueing: 0.9 }))).toBeNull()
  })
})

describe('an announced change by ρ (Bartolini et al. 2009, §5.3)', () => {
  it('scales what is proven and allowed: 0.7 of 9 and of 13.5', ({ expect }) => {
    const scaled = scaleGrowth(observeGrowth(NO_GROWTH, CALM), 0.7)
    expect(scaled.proven).toBeCloseTo(6.3, 12)
    expect(scaled.load).toBeCloseTo(9.45, 12)
    expect(scaled.recent.load).toBeCloseTo(7, 12)
  })
})
