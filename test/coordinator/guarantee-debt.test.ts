import fc from 'fast-check'
import { describe, it } from 'vitest'
import { owedAfter, owedRate } from '../../src/coordinator/guarantee-debt.ts'

const promised = { guaranteed: 10, lengthMs: 1000 }

describe("the books of a class's guarantee", () => {
  it('owe what was promised and not given: 10 − 7 after a second', ({ expect }) => {
    expect(owedAfter(0, { ...promised, conformed: 7 })).toBe(3)
    expect(owedAfter(3, { ...promised, conformed: 12 })).toBe(1)
    expect(owedAfter(0, { guaranteed: 10, lengthMs: 500, conformed: 7 })).toBe(-2)
  })

  it('settle over three seconds', ({ expect }) => {
    expect(owedRate(6)).toBe(2)
  })

  it('do not save up a lull: an hour unused is worth two seconds', ({ expect }) => {
    expect(owedAfter(0, { guaranteed: 10, lengthMs: 3_600_000, conformed: 0 })).toBe(20)
  })

  it('never take more than two thirds of the guarantee back, however much a surge overdrew', ({
    expect,
  }) => {
    const tick = fc.record({
      guaranteed: fc.double({ min: 0, max: 1000, noNaN: true }),
      conformed: fc.nat(100_000),
      lengthMs: fc.integer({ min: 1, max: 60_000 }),
    })
    fc.assert(
      fc.property(fc.double({ noNaN: true }), tick, (before, last) => {
        const owed = owedAfter(before, last)
        expect(last.guaranteed + owedRate(owed)).toBeGreaterThanOrEqual(last.guaranteed / 3 - 1e-9)
        expect(owed).toBeLessThanOrEqual(2 * last.guaranteed)
      }),
    )
  })

  it('start afresh from numbers that are none', ({ expect }) => {
    expect(owedAfter(Number.NaN, { ...promised, conformed: 7 })).toBe(0)
    expect(owedAfter(1, { ...promised, conformed: Number.NaN })).toBe(0)
  })
})
