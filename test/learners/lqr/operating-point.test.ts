import { describe, it } from 'vitest'
import {
  bestOperatingPoint,
  type PowerObservation,
  type PowerSlice,
  recordPower,
  scalePower,
} from '../../../src/learners/lqr/operating-point.ts'

const TARGET_MS = 1000
const GROWTH = 1.5

function seen(
  rate: number,
  responseMs: number,
  more: Partial<PowerObservation> = {},
): PowerObservation {
  const rest = { keptUp: rate, keepsSla: true, binding: true, forget: 0.02 }
  return { rate, responseMs, goodput: rate, ...rest, ...more }
}

function learned(...intervals: readonly PowerObservation[]): readonly PowerSlice[] {
  return intervals.reduce<readonly PowerSlice[]>(recordPower, [])
}

const best = (slices: readonly PowerSlice[]) => bestOperatingPoint(slices, TARGET_MS, GROWTH)

describe('the operating point of highest power (Mathur et al. 2009, eq. 1 and Fig. 2)', () => {
  it('is where goodput per response time is highest: 10/s at 400 ms before 8/s at 350 and 12/s at 600', ({
    expect,
  }) => {
    // 8/350 = 0.0229, 10/400 = 0.025, 12/600 = 0.02
    const slices = learned(seen(8, 350), seen(12, 600), seen(10, 400))
    expect(best(slices)).toEqual({
      point: { rate: 10, responseMs: 400, goodput: 10 },
      bracketed: true,
    })
  })

  it('is not bracketed while no slightly higher load was seen', ({ expect }) => {
    expect(best(learned(seen(8, 350), seen(10, 400)))!.bracketed).toBe(false)
    expect(best(learned(seen(10, 400), seen(300, 9000, { keepsSla: false })))!.bracketed).toBe(
      false,
    )
    expect(best(learned(seen(10, 400), seen(14, 900)))!.bracketed).toBe(true)
  })

  it('is never where the SLA is missed, however high the power', ({ expect }) => {
    const slices = learned(seen(10, 400), seen(13, 420, { keepsSla: false }))
    expect(best(slices)!.point.rate).toBe(10)
  })

  it('is 10/13 of the served rate, at half the target, for a route that has only seen overload', ({
    expect,
  }) => {
    const flood = seen(30, 9000, { goodput: 13, keptUp: 13, keepsSla: false })
    expect(best(learned(flood))).toEqual({
      point: { rate: 10, responseMs: 500, goodput: 10 },
      bracketed: true,
    })
    expect(best([])).toBeNull()
  })

  it('averages intervals of the same load, so that one lucky interval does not decide', ({
    expect,
  }) => {
    const slices = learned(seen(10, 300), seen(10, 500), seen(10, 400))
    expect(slices).toHaveLength(1)
    expect(slices[0]).toMatchObject({ responseMs: 400, intervals: 3 })
  })

  it('forgets a power that is gone: 0.36 of it wins after 51 intervals, as 0.98^51 = 0.357', ({
    expect,
  }) => {
    let slices = learned(seen(10, 400))
    let intervals = 0
    while (best(slices)!.point.rate === 10) {
      slices = recordPower(slices, seen(6, 400 / 0.6))
      intervals += 1
    }
    expect(intervals).toBe(51)
  })

  it('is kept through low load without refusals', ({ expect }) => {
    let slices = learned(seen(10, 400))
    for (let k = 0; k < 1000; k++) slices = recordPower(slices, seen(1, 300, { binding: false }))
    expect(best(slices)!.point.rate).toBe(10)
  })

  it('scales by ρ: from 20 to 14 servers it moves to 0.7 of the rate, at the same response time', ({
    expect,
  }) => {
    const { point } = best(scalePower(learned(seen(10, 400)), 14 / 20))!
    expect(point.rate).toBeCloseTo(7, 12)
    expect(point.goodput).toBeCloseTo(7, 12)
    expect(point.responseMs).toBe(400)
  })
})
