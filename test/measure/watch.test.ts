import { describe, it } from 'vitest'
import { Watch } from '../../src/measure/watch.ts'

const watched = (times: readonly number[]): number => {
  const watch = new Watch()
  return times.filter((ms) => watch.next(ms)).length
}

describe('watching the last byte', () => {
  it('is for everyone at low rates: 10/s for a minute', ({ expect }) => {
    expect(watched(Array.from({ length: 600 }, (_, i) => i * 100))).toBe(600)
  })

  it('is for 20 a second at high ones, and eight at once at the start: 1000/s for 5 s', ({
    expect,
  }) => {
    expect(watched(Array.from({ length: 5000 }, (_, i) => i))).toBe(8 + 99)
  })

  it('is spread over time: no more than twelve in 200 ms', ({ expect }) => {
    const watch = new Watch()
    const times = Array.from({ length: 5000 }, (_, i) => i).filter((ms) => watch.next(ms))
    for (const ms of times)
      expect(times.filter((other) => other >= ms && other < ms + 200).length).toBeLessThanOrEqual(
        12,
      )
  })

  it('goes on when the clock jumps back', ({ expect }) => {
    const watch = new Watch()
    expect(watch.next(1e9)).toBe(true)
    expect([0, 50, 100].map((ms) => watch.next(ms))).toEqual([false, true, true])
  })
})
