import fc from 'fast-check'
import { describe, it } from 'vitest'
import {
  addSpread,
  drawnOf,
  moveWindow,
  NO_SPREAD,
  type RecentArrivals,
  sigmaOf,
  surgeEnds,
  surgeStarts,
  windowRate,
} from '../../../src/learners/soc/surge.ts'

describe('SOC surge detection (Bartolini et al. 2009, §4)', () => {
  const at = { limit: 50, sigma: 5, q: 3, iterationMs: 10_000 }

  it('starts when N/t > λ* + qσ and N > λ*T: 501 in 5 s is 100.2/s > 65/s, and 501 > 500', ({
    expect,
  }) => {
    expect(surgeStarts({ ...at, admitted: 501, elapsedMs: 5_000 })).toBe(true)
  })

  it('does not start on a short burst: 499 in 2 s is 249.5/s, but 499 < 500', ({ expect }) => {
    expect(surgeStarts({ ...at, admitted: 499, elapsedMs: 2_000 })).toBe(false)
  })

  it('does not start on chance: 640 in 10 s is 64/s, within 3σ of 50/s', ({ expect }) => {
    expect(surgeStarts({ ...at, admitted: 640, elapsedMs: 10_000 })).toBe(false)
    expect(surgeStarts({ ...at, admitted: 651, elapsedMs: 10_000 })).toBe(true)
  })

  it('does not start before time has passed', ({ expect }) => {
    expect(surgeStarts({ ...at, admitted: 1e6, elapsedMs: 0 })).toBe(false)
  })

  it('is over when the admitted rate is back under λ*', ({ expect }) => {
    expect(surgeEnds({ rate: 50.1, limit: 50 })).toBe(false)
    expect(surgeEnds({ rate: 50, limit: 50 })).toBe(true)
  })
})

describe('what counts as admitted', () => {
  it('is what the probability admits, although a bucket holds the limit: 30/60 of 300 are 150', ({
    expect,
  }) => {
    expect(drawnOf(300, 30, 60)).toBe(150)
    expect(drawnOf(300, 30, 20)).toBe(300)
    expect(drawnOf(300, null, null)).toBe(300)
  })
})

describe('the moving window of a surge (§4.2)', () => {
  const tick = (admitted: number, offered = admitted): RecentArrivals => ({
    lengthMs: 1000,
    offered,
    admitted,
  })
  const most = { admitted: 100, elapsedMs: 60_000 }

  it('holds the last ⌊λ*T⌋ admitted: at 50 a second, two ticks hold 100', ({ expect }) => {
    const ticks = [1, 2, 3, 4, 5].reduce<readonly RecentArrivals[]>(
      (recent) => moveWindow(recent, tick(50), most),
      [],
    )
    expect(ticks).toHaveLength(2)
  })

  it('is shorter with heavier traffic: 4 ticks at 30 a second, 1 at 200', ({ expect }) => {
    const fill = (admitted: number) =>
      Array.from({ length: 9 }).reduce<readonly RecentArrivals[]>(
        (recent) => moveWindow(recent, tick(admitted), most),
        [],
      )
    expect(fill(30)).toHaveLength(4)
    expect(fill(200)).toHaveLength(1)
  })

  it('is never longer than an iteration', ({ expect }) => {
    const short = { admitted: 100, elapsedMs: 3000 }
    const ticks = [1, 2, 3, 4, 5].reduce<readonly RecentArrivals[]>(
      (recent) => moveWindow(recent, tick(1), short),
      [],
    )
    expect(ticks).toHaveLength(3)
  })

  it('always keeps the newest tick, and enough ticks or all of them', ({ expect }) => {
    const anyTick = fc.record({
      lengthMs: fc.integer({ min: 100, max: 5000 }),
      offered: fc.nat(500),
      admitted: fc.nat(500),
    })
    fc.assert(
      fc.property(fc.array(anyTick, { minLength: 1, maxLength: 50 }), (ticks) => {
        let recent: readonly RecentArrivals[] = []
        for (const one of ticks) {
          recent = moveWindow(recent, one, most)
          expect(recent.at(-1)).toBe(one)
          const rest = recent.slice(1)
          const admitted = rest.reduce((sum, { admitted: part }) => sum + part, 0)
          // Without its oldest tick it would hold too few.
          if (recent.length > 1) expect(admitted).toBeLessThan(most.admitted)
        }
      }),
    )
  })

  it('gives rates per second: 90 offered and 30 admitted in 2 s are 45/s and 15/s', ({
    expect,
  }) => {
    const recent = [tick(10, 40), tick(20, 50)]
    expect(windowRate(recent, 'offered')).toBe(45)
    expect(windowRate(recent, 'admitted')).toBe(15)
  })
})

describe('σ_λ, the spread of the admitted rate while the limit binds (§4)', () => {
  it('is that of Poisson arrivals at first: √(λ* / T) = √(60 / 60) = 1/s', ({ expect }) => {
    expect(sigmaOf(NO_SPREAD, 60, 60_000)).toBe(1)
  })

  it('is the measured one after ten iterations: always 10 % off is 0.1 λ*', ({ expect }) => {
    let spread = NO_SPREAD
    for (let k = 0; k < 10; k++) spread = addSpread(spread, k % 2 ? 44 : 36, 40)
    expect(sigmaOf(spread, 40, 60_000)).toBeCloseTo(4, 9)
    expect(sigmaOf(spread, 80, 60_000)).toBeCloseTo(8, 9)
  })
})
