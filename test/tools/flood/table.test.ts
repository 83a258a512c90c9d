import { describe, it } from 'vitest'
import { PageCounts } from '../../../tools/flood/page-counts.ts'
import { type RunFacts, reportOf } from '../../../tools/flood/report.ts'
import { renderRuns } from '../../../tools/flood/table.ts'
import { histogramOf } from '../../support/histogram.ts'

const facts: RunFacts = {
  name: 'direct',
  target: 'http://127.0.0.1:8788',
  capacityPerSecond: 100,
  slaMs: 1000,
  surge: 10,
  seconds: 20,
  elapsedMs: 20_000,
  cpuMs: 5000,
  lags: histogramOf([1, 1, 1]),
  failures: {},
}

function countedRun(): PageCounts {
  const counts = new PageCounts(1000, () => 0)
  counts.offer('surge', ['home', 'product', 'cart'])
  for (const kind of ['home', 'product', 'cart', 'checkout'] as const) counts.send('surge', kind)
  counts.serve('surge', 'home', 100)
  counts.lose('surge', 'product', 'abandoned')
  counts.lose('surge', 'cart', 'refused')
  counts.lose('surge', 'checkout', 'failed')
  return counts
}

describe('the table of a flood', () => {
  it('has a line per class and one for all, in columns', ({ expect }) => {
    const lines = renderRuns([reportOf(facts, countedRun())]).split('\n')
    const from = lines.findIndex((line) => line.includes('offered'))
    const cells = lines.slice(from, from + 5).map((line) => line.split(/ {2,}/))
    // The page of 100 ms is in the histogram's bucket from 98.7 to 103.1 ms, which is interpolated.
    expect(cells).toEqual([
      ['', 'offered', 'admitted', 'in SLA', 'late', 'failed', 'refused', 'abandoned'].concat([
        'p50 ms',
        'p95 ms',
        'p99 ms',
      ]),
      ['browse', '2', '2', '1', '0', '0', '0', '1', '101', '103', '103'],
      ['cart', '1', '0', '0', '0', '0', '1', '0', '-', '-', '-'],
      ['checkout', '0', '1', '0', '0', '1', '0', '0', '-', '-', '-'],
      ['total', '3', '3', '1', '0', '1', '1', '1', '101', '103', '103'],
    ])
    expect(new Set(lines.slice(from, from + 5).map((line) => line.length)).size).toBe(1)
  })

  it('explains why offered is more than admitted and refused together', ({ expect }) => {
    const counts = countedRun()
    expect(renderRuns([reportOf(facts, counts)])).not.toContain('were requested')
    counts.offer('surge', ['home', 'product', 'cart'])
    const lines = renderRuns([reportOf(facts, counts)]).split('\n')
    const total = lines.findIndex((line) => line.startsWith('total'))
    expect(lines[total + 1]).toBe(
      'Admitted = in SLA + late + failed + abandoned. Of the 6 pages offered, 4 were requested: a visitor that is refused, gets an error or gives up does not request the remaining pages of the visit.',
    )
  })

  it('ends with the share', ({ expect }) => {
    expect(renderRuns([reportOf(facts, countedRun())])).toMatch(
      /Share of the origin's capacity served within the SLA of 1000 ms: 0\.00 \(0\.1 of 100 requests\/s\)$/,
    )
  })

  it('compares two runs', ({ expect }) => {
    const runs = [facts, { ...facts, name: 'gate' } as const].map((each) =>
      reportOf(each, countedRun()),
    )
    expect(renderRuns(runs)).toMatch(
      /Straight to the origin {2}0\.00\n {2}Through the gate {8}0\.00$/,
    )
  })

  it('warns if the median delay of the generator is above 50 ms', ({ expect }) => {
    const slow = reportOf({ ...facts, lags: histogramOf([10, 60, 70]) }, countedRun())
    expect(renderRuns([slow])).toMatch(/Warning: the generator is \d+ ms behind/)
    const quick = reportOf({ ...facts, lags: histogramOf([10, 20, 70]) }, countedRun())
    expect(renderRuns([quick])).not.toContain('Warning')
  })

  it('names dropped, failed and unfinished requests', ({ expect }) => {
    const counts = countedRun()
    counts.drop('surge', 'home')
    counts.send('surge', 'home')
    const report = reportOf({ ...facts, elapsedMs: 9000, failures: { 'HTTP 502': 1 } }, counts)
    const text = renderRuns([report])
    expect(text).toContain('Interrupted: 1 requests were still in flight.')
    expect(text).toContain('Warning: 1 requests were not sent')
    expect(text).toContain('Failures: 1 x HTTP 502')
  })

  it('says that a run had no surge', ({ expect }) => {
    const text = renderRuns([
      reportOf({ ...facts, elapsedMs: 1000 }, new PageCounts(1000, () => 0)),
    ])
    expect(text).toContain('Interrupted before the surge.')
  })
})
