import fc from 'fast-check'
import { describe, it } from 'vitest'
import { LevelWindow } from '../../src/admission/level-window.ts'

/** Requests come every `gapMs` and stay for the times given, one after another. Returns the mean level, and the highest. */
function playedIn(window: LevelWindow, stays: readonly number[], gapMs: number, over: number) {
  let ends: number[] = []
  let busyMs = 0
  let highest = 0
  let next = 0
  const lengthMs = 60_000
  let [atMs, level] = [0, 0]
  const passTo = (ms: number) => {
    for (const end of ends.filter((at) => at <= ms).sort((a, b) => a - b)) {
      busyMs += level * (end - atMs)
      atMs = end
      level--
    }
    ends = ends.filter((at) => at > ms)
    busyMs += level * (ms - atMs)
    atMs = ms
  }
  for (let ms = 0; ms < lengthMs; ms += gapMs) {
    passTo(ms)
    if (!window.hasRoom(level, busyMs, ms, over)) continue
    ends.push(ms + stays[next++ % stays.length]!)
    level++
    highest = Math.max(highest, level)
  }
  passTo(lengthMs)
  return { mean: busyMs / lengthMs, highest }
}

describe('a window for requests in flight', () => {
  it('holds its mean in lasting overload, be it a fraction, and whatever the stays are', ({
    expect,
  }) => {
    const stay = fc.integer({ min: 20, max: 400 })
    fc.assert(
      fc.property(
        fc.double({ min: 0.05, max: 6, noNaN: true }),
        fc.array(stay, { minLength: 20, maxLength: 50 }),
        (mean, stays) => {
          const window = new LevelWindow(0)
          window.set(mean, 200, 0, 0)
          const seen = playedIn(window, stays, 5, 1)
          expect(seen.mean).toBeGreaterThan(0.9 * mean - 0.02)
          expect(seen.mean).toBeLessThan(1.05 * mean + 0.02)
        },
      ),
      { numRuns: 50 },
    )
  })

  it('is never above a whole number', ({ expect }) => {
    const window = new LevelWindow(0)
    window.set(3, 100, 0, 0)
    expect(playedIn(window, [100, 300, 50], 7, 0).highest).toBe(3)
  })

  it('begins at a moment of its own, so that a thousand isolates do not begin at once', ({
    expect,
  }) => {
    const begins = Array.from({ length: 1000 }, (_, i) => {
      const window = new LevelWindow(0)
      window.restart(i / 1000, 40, 0, 0)
      window.set(0.012, 40, 0, 0)
      return window.hasRoom(0, 0, 0, 1)
    })
    expect(begins.filter(Boolean)).toHaveLength(1)
  })

  it('goes on when the clock is set back', ({ expect }) => {
    const window = new LevelWindow(1e9)
    window.set(0.5, 100, 0, 1e9)
    window.set(0.5, 100, 200, 1e9 + 100)
    expect(window.hasRoom(0, 200, 1e9 + 100, 1)).toBe(false)
    expect(window.hasRoom(0, 200, 0, 1)).toBe(true)
  })
})
