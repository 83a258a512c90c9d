import { afterEach, beforeEach, describe, it, vi } from 'vitest'
import { poissonTimes } from '../../../tools/crowd/arrivals.ts'
import { keepSchedule } from '../../../tools/crowd/schedule.ts'
import type { Session } from '../../../tools/crowd/session.ts'
import { coinsOf } from '../../../tools/random.ts'

const sessionAt = (atMs: number): Session => ({ atMs, pages: [], thinkMs: [] })

describe('Poisson arrivals', () => {
  it('come in order, with the rate of each phase, and not at all where it is 0', ({ expect }) => {
    const phases = [
      { fromMs: 0, toMs: 100_000, perSecond: 50 },
      { fromMs: 100_000, toMs: 200_000, perSecond: 0 },
      { fromMs: 200_000, toMs: 300_000, perSecond: 200 },
    ]
    const times = [...poissonTimes(phases, coinsOf(1, 'arrivals'))]
    expect(times).toEqual(times.toSorted((a, b) => a - b))
    const between = (fromMs: number, toMs: number) =>
      times.filter((atMs) => atMs >= fromMs && atMs < toMs).length
    // Four standard deviations: 4 √5000 and 4 √20 000.
    expect(Math.abs(between(0, 100_000) - 5000)).toBeLessThan(283)
    expect(between(100_000, 200_000)).toBe(0)
    expect(Math.abs(between(200_000, 300_000) - 20_000)).toBeLessThan(566)
    expect(between(300_000, Number.POSITIVE_INFINITY)).toBe(0)
  })
})

describe('the schedule of a crowd', () => {
  beforeEach(() => void vi.useFakeTimers({ now: 0 }))
  afterEach(() => void vi.useRealTimers())

  function keep(times: readonly number[], endMs: number) {
    const started: [atMs: number, nowMs: number][] = []
    const interrupt = new AbortController()
    const state = { isDone: false }
    const lags: number[] = []
    const welcome = ({ atMs }: Session, lagMs: number) => {
      started.push([atMs, Date.now()])
      lags.push(lagMs)
    }
    const sessions = times.map(sessionAt).values()
    void keepSchedule(sessions, endMs, Date.now, welcome, interrupt.signal).then(() => {
      state.isDone = true
    })
    return { started, lags, interrupt, state }
  }

  it('starts each session at its time and ends when the time is up', async ({ expect }) => {
    const { started, state } = keep([0, 10, 10, 700], 1000)
    await vi.advanceTimersByTimeAsync(999)
    expect(started).toEqual([
      [0, 0],
      [10, 10],
      [10, 10],
      [700, 700],
    ])
    expect(state.isDone).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    expect(state.isDone).toBe(true)
  })

  it('says how late it starts a session: never early, and up to the next millisecond', async ({
    expect,
  }) => {
    const { started, lags } = keep([10.25, 700], 1000)
    await vi.advanceTimersByTimeAsync(1000)
    expect(started.map(([, nowMs]) => nowMs)).toEqual([11, 700])
    expect(lags).toEqual([0.75, 0])
  })

  it('ends at once when it is interrupted', async ({ expect }) => {
    const { started, interrupt, state } = keep([0, 10, 700], 1000)
    await vi.advanceTimersByTimeAsync(100)
    interrupt.abort()
    await vi.advanceTimersByTimeAsync(2000)
    expect([started.length, state.isDone, vi.getTimerCount()]).toEqual([2, true, 0])
  })
})
