import { describe, it } from 'vitest'
import type { Session } from '../../../tools/crowd/session.ts'
import { type CrowdOptions, crowd, surgeStartMs } from '../../../tools/flood/crowd.ts'

const options: CrowdOptions = {
  capacityPerSecond: 100,
  surge: 10,
  seconds: 60,
  thinkMs: 1000,
  seed: 1,
}

const pagesOf = (arrivals: readonly Session[]) =>
  arrivals.reduce((sum, { pages }) => sum + pages.length, 0)

describe('the crowd', () => {
  const arrivals = [...crowd(options)]
  const stepMs = surgeStartMs(options.seconds)

  it('is calm for the first fifth, at half the capacity: 600 pages in 12 s', ({ expect }) => {
    expect(stepMs).toBe(12_000)
    const pages = pagesOf(arrivals.filter(({ atMs }) => atMs < stepMs))
    // About 101 sessions of 5.9 pages; both vary, so the sum has a standard deviation of 80.
    expect(Math.abs(pages - 600)).toBeLessThan(320)
  })

  it('then offers ten times the capacity: 48 000 pages in 48 s', ({ expect }) => {
    const pages = pagesOf(arrivals.filter(({ atMs }) => atMs >= stepMs))
    // About 8067 sessions: a standard deviation of 710; four of them.
    expect(Math.abs(pages - 48_000)).toBeLessThan(2840)
  })

  it('is a Poisson process: the standard deviation of the gaps equals their mean', ({ expect }) => {
    const times = arrivals.filter(({ atMs }) => atMs >= stepMs).map(({ atMs }) => atMs)
    const gaps = times.slice(1).map((atMs, i) => atMs - times[i]!)
    const mean = gaps.reduce((sum, gap) => sum + gap) / gaps.length
    const variance = gaps.reduce((sum, gap) => sum + (gap - mean) ** 2, 0) / gaps.length
    // Coefficient of variation 1; its standard error over 8000 gaps is 0.011.
    expect(Math.abs(Math.sqrt(variance) / mean - 1)).toBeLessThan(0.05)
  })

  it('comes in order and within the run, and has a think time after each page', ({ expect }) => {
    let previousMs = 0
    for (const { atMs, pages, thinkMs } of arrivals) {
      expect(atMs).toBeGreaterThanOrEqual(previousMs)
      previousMs = atMs
      expect(thinkMs).toHaveLength(pages.length)
    }
    expect(previousMs).toBeLessThan(60_000)
  })

  it('is the same for the same seed, and different for another', ({ expect }) => {
    expect([...crowd(options)]).toEqual(arrivals)
    expect([...crowd({ ...options, seed: 2 })]).not.toEqual(arrivals)
  })

  it('thinks for a second on average', ({ expect }) => {
    const thinks = arrivals.flatMap(({ thinkMs }) => thinkMs)
    const mean = thinks.reduce((sum, ms) => sum + ms) / thinks.length
    expect(Math.abs(mean - 1000)).toBeLessThan(20) // standard error 1000 / √48 000 = 4.6
  })
})
