import { describe, it } from 'vitest'
import { ABANDONED, FAILED, type Outcome, SERVED } from '../../../lab/engine/requests.ts'
import { Measures } from '../../../lab/gate/measures.ts'

const SLA = { percentile: 95, targetMs: 200, windowMs: 60_000 }
const SECONDS = 600

/** Ten requests per second; `lateAt` says how many of the ten are late. */
function measured(lateAt: (second: number) => number) {
  const measures = new Measures(SLA, [1], 0, SECONDS * 1000)
  for (let second = 0; second < SECONDS; second++) {
    for (let i = 0; i < 10; i++) {
      const latencyMs = i < lateAt(second) ? 300 : 100
      measures.finished(0, latencyMs, SERVED, second * 1000 + i)
    }
  }
  return measures.result(SECONDS * 1000)
}

const only = (latencyMs: number, outcome: Outcome) => {
  const measures = new Measures(SLA, [3], 0, 1000)
  measures.finished(0, latencyMs, outcome, 500)
  return measures.result(1000)
}

describe('SLA windows', () => {
  it('are missed when more than 5 of 100 are over the target, and not at 5 of 100', ({
    expect,
  }) => {
    expect(measured((second) => second % 2)).toMatchObject({ windows: 10, windowsMissed: 0 }) // 5 %
    const more = measured((second) => (second % 2) + Number(second === 130))
    expect(more).toMatchObject({ windows: 10, windowsMissed: 1 })
  })

  it('count only if they had requests', ({ expect }) => {
    expect(new Measures(SLA, [1], 0, 600_000).result(600_000)).toMatchObject({
      windows: 0,
      windowsMissed: 0,
      lateShare: 0,
    })
  })

  it('leave out requests before the measured period', ({ expect }) => {
    const measures = new Measures(SLA, [1], 60_000, 120_000)
    measures.finished(0, 900, SERVED, 59_999)
    measures.finished(0, 100, SERVED, 60_000)
    expect(measures.result(120_000)).toMatchObject({ served: 1, lateShare: 0, seconds: 60 })
  })
})

describe('the value of a request', () => {
  it("is its class's value if it was answered within the target, to the millisecond", ({
    expect,
  }) => {
    expect(only(200, SERVED)).toMatchObject({ inSlaValue: 3, lateShare: 0 })
    expect(only(200.1, SERVED)).toMatchObject({ inSlaValue: 0, lateShare: 1 })
  })

  it('is 0 for failed and abandoned requests, which count as late once they waited too long', ({
    expect,
  }) => {
    expect(only(1, FAILED)).toMatchObject({ inSlaValue: 0, lateShare: 1, failed: 1 })
    expect(only(900, ABANDONED)).toMatchObject({ inSlaValue: 0, lateShare: 1, abandoned: 1 })
    expect(only(50, ABANDONED)).toMatchObject({ inSlaValue: 0, lateShare: 0, abandoned: 1 })
  })
})

describe('recovery', () => {
  it('is 0 if the last 60 s are always within the target', ({ expect }) => {
    expect(measured(() => 0).recoverySeconds).toBe(0)
  })

  it('lasts until the late requests have left the last 60 s', ({ expect }) => {
    // All are late for 100 s, and 30 of 600 may be late: at 156 s the window contains four late
    // seconds for the last time.
    expect(measured((second) => (second < 100 ? 10 : 0)).recoverySeconds).toBe(156)
  })

  it('does not count later misses', ({ expect }) => {
    const mishap = (second: number) => (second >= 450 && second < 460 ? 10 : 0)
    expect(measured(mishap).recoverySeconds).toBe(0)
  })

  it('is the whole period if there is no recovery', ({ expect }) => {
    expect(measured(() => 10).recoverySeconds).toBe(SECONDS)
  })
})

describe('refusals and variation', () => {
  it('count refusals with room to spare separately', ({ expect }) => {
    const measures = new Measures(SLA, [1], 0, 1000)
    measures.asked(true, false, 1)
    measures.asked(false, false, 2)
    measures.asked(false, true, 3)
    measures.cameEarly(4)
    expect(measures.result(1000)).toMatchObject({
      offered: 3,
      refused: 2,
      refusedWithRoom: 1,
      early: 1,
    })
  })

  it('measure the variation of admissions between minutes: 30, 10, 30, 10 … vary by 1/2', ({
    expect,
  }) => {
    const measures = new Measures(SLA, [1], 0, SECONDS * 1000)
    for (let minute = 0; minute < 10; minute++) {
      const count = minute % 2 === 0 ? 30 : 10
      for (let i = 0; i < count; i++) measures.asked(true, false, minute * 60_000 + i)
    }
    expect(measures.result(SECONDS * 1000).admittedVariation).toBeCloseTo(0.5, 12)
  })
})
