import { describe, it } from 'vitest'
import type { TraceLine } from '../../../lab/gate/run-plant.ts'
import { meanOver, percentileOver } from '../../../tools/learners/series.ts'
import { type Tick, tick, times } from '../../support/samples.ts'

const traceOf = (ticks: readonly Tick[]): readonly TraceLine[] =>
  ticks.map((given, i) => ({
    atMs: 1000 * (i + 1),
    sample: tick(given),
    limit: 10,
    activeSessions: 0,
  }))

describe('a series of a trace', () => {
  it('is the mean of several ticks, at the end of them', ({ expect }) => {
    const trace = traceOf([1, 3, 5, 7, 100].map((admitted) => ({ admitted })))
    const admitted = meanOver(trace, 2, (sample) => sample.admitted.requests)
    expect(admitted).toEqual([
      { second: 2, value: 2 },
      { second: 4, value: 6 },
    ])
  })

  it('is the percentile of all requests that ended in these ticks', ({ expect }) => {
    const trace = traceOf([{ timesMs: times(50, 100) }, { timesMs: times(50, 800) }])
    const { value } = percentileOver(trace, 2)[0]!
    expect(value).toBeGreaterThan(789) // 800 ms lies in the bucket from 789.6 to 824.5 ms
    expect(value).toBeLessThan(825)
  })

  it('counts clients that left as slowest: 90 fast answers of 100 are no p95 within the target', ({
    expect,
  }) => {
    // 100 sent, 90 answered, none in flight: 10 % of the clients left.
    const trace = traceOf([{ admitted: 100, timesMs: times(90, 100), inFlight: 0 }])
    expect(percentileOver(trace, 1)).toEqual([{ second: 1, value: 2000 }])
  })

  it('does not count requests in flight', ({ expect }) => {
    const trace = traceOf([{ admitted: 100, timesMs: times(90, 100), inFlight: 10 }])
    const { value } = percentileOver(trace, 1)[0]!
    expect(value).toBeLessThan(106)
  })
})
