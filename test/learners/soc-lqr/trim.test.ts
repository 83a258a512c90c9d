import fc from 'fast-check'
import { describe, it } from 'vitest'
import { loadPart, type TrimEvidence, trimmed } from '../../../src/learners/soc-lqr/trim.ts'

/** A quarter of the allowance over what is aimed at, for a tenth of the loop's time. */
const EVIDENCE: TrimEvidence = {
  spent: 0.5,
  aim: 0.4,
  queueing: 1,
  seconds: 10,
  windowS: 140,
  lagS: 0,
  variation: 1,
}

describe('how close to capacity: u = 1 − κ/(C W), κ the headroom in requests', () => {
  it('is 0.9625 for κ = 1.5 at C = 20/s, W = 2 s, and 0.906 for C = 8/s', ({ expect }) => {
    expect(loadPart(1.5, 20, 2, 0.6)).toBeCloseTo(0.9625, 12)
    expect(loadPart(1.5, 8, 2, 0.6)).toBeCloseTo(0.90625, 12)
  })

  it('is never below the floor, 0.6, and never above 0.985', ({ expect }) => {
    expect(loadPart(1.5, 1, 1, 0.6)).toBe(0.6)
    expect(loadPart(0.4, 1000, 2, 0.6)).toBe(0.985)
  })
})

describe('trimmed by the share over the target', () => {
  it('makes room by dt/(window/1.4) of the relative error: (10/100) · (0.5 − 0.4)/0.4', ({
    expect,
  }) => {
    expect(trimmed(1.5, EVIDENCE).headroom).toBeCloseTo(1.525, 12)
  })

  it('takes it back when little is over: all of 0.1 at nothing', ({ expect }) => {
    expect(trimmed(1.5, { ...EVIDENCE, spent: 0 }).headroom).toBeCloseTo(1.4, 12)
  })

  it('is as slow as the loop: 1.5 lags of 200 s make it a third of that', ({ expect }) => {
    const slow = trimmed(1.5, { ...EVIDENCE, spent: 0, lagS: 200 })
    expect(slow.headroom).toBeCloseTo(1.5 - 10 / 300, 12)
  })

  it('counts a bad interval with eight times what is aimed at, and no more', ({ expect }) => {
    expect(trimmed(1.5, { ...EVIDENCE, spent: 4 }).headroom).toBeCloseTo(1.5 + 0.8, 12)
    expect(trimmed(1.5, { ...EVIDENCE, spent: 20 }).headroom).toBeCloseTo(1.5 + 0.8, 12)
  })

  it('makes no room where nothing waits: what is late then is slow by itself', ({ expect }) => {
    expect(trimmed(1.5, { ...EVIDENCE, spent: 20, queueing: 0.05 }).headroom).toBe(1.5)
  })

  it('hands what goes beyond its end of 0.4 to the capacity: 0.45 − 0.1 leaves 0.05 over', ({
    expect,
  }) => {
    const { headroom, excess } = trimmed(0.45, { ...EVIDENCE, spent: 0 })
    expect(headroom).toBeCloseTo(0.4, 12)
    expect(excess).toBeCloseTo(0.05, 12)
  })

  it('stays within 0.4 and 3 (1 + c²)/2, whatever it is shown (Kingman)', ({ expect }) => {
    const amount = fc.double({ min: 0, max: 1e6, noNaN: true })
    const evidence: fc.Arbitrary<TrimEvidence> = fc.record({
      spent: amount,
      aim: fc.double({ min: 0.3, max: 0.7, noNaN: true }),
      queueing: amount,
      seconds: fc.double({ min: 0.1, max: 1e6, noNaN: true }),
      windowS: fc.double({ min: 1, max: 1e5, noNaN: true }),
      lagS: amount,
      variation: fc.double({ min: 0, max: 30, noNaN: true }),
    })
    fc.assert(
      fc.property(fc.double({ min: 0.4, max: 40, noNaN: true }), evidence, (from, shown) => {
        const { headroom, excess } = trimmed(from, shown)
        expect(headroom).toBeGreaterThanOrEqual(0.4 - 1e-9)
        expect(headroom).toBeLessThanOrEqual(3 * Math.max(1, (1 + shown.variation) / 2) + 1e-9)
        expect(excess).toBeGreaterThanOrEqual(0)
      }),
    )
  })
})
