import fc from 'fast-check'
import { describe, it } from 'vitest'
import { PAGE_CLASSES, PAGE_KINDS } from '../../../tools/demo/pages.ts'
import { PageCounts } from '../../../tools/flood/page-counts.ts'
import { type RunFacts, reportOf } from '../../../tools/flood/report.ts'

const anyEvent = fc.record({
  kind: fc.constantFrom(...PAGE_KINDS),
  end: fc.constantFrom('served', 'failed', 'refused', 'abandoned', 'open' as const),
  ms: fc.double({ min: 0, max: 5000, noNaN: true }),
})

const facts: RunFacts = {
  name: 'gate',
  target: 'http://127.0.0.1:8787',
  capacityPerSecond: 100,
  slaMs: 1000,
  surge: 10,
  seconds: 20,
  elapsedMs: 20_000,
  cpuMs: 5000,
  lags: [],
  failures: {},
}

describe('the counts of a flood', () => {
  it('accounts for every request that was sent, in every class and in total', ({ expect }) => {
    fc.assert(
      fc.property(fc.array(anyEvent), (events) => {
        const counts = new PageCounts(1000, () => 0)
        for (const { kind, end, ms } of events) {
          counts.send('surge', kind)
          if (end === 'served') counts.serve('surge', kind, ms)
          else if (end !== 'open') counts.lose('surge', kind, end)
        }
        const classes = PAGE_CLASSES.map((name) => counts.figures('surge', name))
        const totals = counts.totals('surge')
        for (const { admitted, refused, sent, inSla, late, failed, abandoned, unfinished } of [
          ...classes,
          totals,
        ]) {
          expect(admitted + refused).toBe(sent)
          expect(inSla + late + failed + abandoned + unfinished).toBe(admitted)
        }
        expect(classes.reduce((sum, { sent }) => sum + sent, 0)).toBe(totals.sent)
        expect(totals.sent).toBe(events.length)
        expect(counts.totals('calm').sent).toBe(0)
      }),
    )
  })

  it('counts a page of exactly 1000 ms as in SLA, and one of 1001 ms as late', ({ expect }) => {
    const counts = new PageCounts(1000, () => 0)
    counts.serve('calm', 'home', 1000)
    counts.serve('calm', 'home', 1001)
    expect(counts.figures('calm', 'browse')).toMatchObject({ inSla: 1, late: 1 })
  })

  it('offers whole walks, by class', ({ expect }) => {
    const counts = new PageCounts(1000, () => 0)
    counts.offer('surge', ['home', 'search', 'product', 'cart', 'checkout'])
    expect(counts.figures('surge', 'browse').offered).toBe(3)
    expect(counts.figures('surge', 'cart').offered).toBe(1)
    expect(counts.totals('surge').offered).toBe(5)
  })

  it('gives quantiles over all classes together', ({ expect }) => {
    const counts = new PageCounts(1000, () => 0)
    for (let i = 0; i < 90; i++) counts.serve('surge', 'home', 100)
    for (let i = 0; i < 10; i++) counts.serve('surge', 'checkout', 800)
    // A bucket of the histogram is 4.4 % wide.
    expect(counts.totals('surge').p50Ms! / 100).toBeCloseTo(1, 1)
    expect(counts.totals('surge').p95Ms! / 800).toBeCloseTo(1, 1)
    expect(counts.figures('surge', 'cart').p95Ms).toBeNull()
  })
})

describe('the report of a flood', () => {
  const served = (pages: number) => {
    const counts = new PageCounts(1000, () => 0)
    for (let i = 0; i < pages; i++) counts.serve('surge', 'home', 50)
    return counts
  }

  it('computes the share over the surge only: 800 pages in SLA in 16 s are 50/s, half of 100/s', ({
    expect,
  }) => {
    const report = reportOf(facts, served(800))
    expect(report).toMatchObject({ share: 0.5, surgeSeconds: 16, complete: true })
    expect(report.calm.seconds).toBe(4)
  })

  it('does not count late pages in the share', ({ expect }) => {
    const counts = served(0)
    for (let i = 0; i < 800; i++) counts.serve('surge', 'home', 1500)
    expect(reportOf(facts, counts).share).toBe(0)
  })

  it('covers 8 s of surge for a run interrupted after 12 s of 20', ({ expect }) => {
    const report = reportOf({ ...facts, elapsedMs: 12_000 }, served(800))
    expect(report).toMatchObject({ share: 1, surgeSeconds: 8, complete: false })
  })

  it('has no share before the surge', ({ expect }) => {
    const report = reportOf({ ...facts, elapsedMs: 2000 }, served(0))
    expect(report).toMatchObject({ share: null, surgeSeconds: 0, complete: false })
    expect(report.calm.seconds).toBe(2)
  })

  it("gives the generator's CPU use: 5 s of CPU time in 20 s are 0.25", ({ expect }) => {
    expect(reportOf(facts, served(0)).generator).toEqual({ cpu: 0.25, lagP50Ms: 0, lagP99Ms: 0 })
  })
})
