import { describe, it } from 'vitest'
import { steps } from '../../../lab/clients/profiles.ts'
import { runEdge } from '../../../lab/edge/run-edge.ts'
import { WAITING_CASES } from '../../../lab/queue/cases.ts'
import { sizeFigure } from '../../../lab/queue/size-figure.ts'
import { plantOf, waitingFigure } from '../../../lab/queue/waiting-figure.ts'
import { quantileMs } from '../../../src/lib/histogram.ts'

const caseNamed = (name: string) => WAITING_CASES.find((one) => one.name === name)!

describe('a waiting room in the lab, through the product’s own code', () => {
  it('uses at least 95 % of the limit if 60 % leave and half of the arrivals are bots', async ({
    expect,
  }) => {
    const crowd = caseNamed('60 % leave, half are bots')
    const { used, overtaken } = await waitingFigure({ ...crowd, seconds: 130 }, 1)
    expect(used).toBeGreaterThan(0.95)
    expect(used).toBeLessThan(1.05)
    expect(overtaken).toBeLessThan(5)
  }, 60_000)

  it('holds the limit from the first second of a crowd of five times the limit', async ({
    expect,
  }) => {
    const arrivals = steps({ 0: 20, 30: 250 })
    const crowd = { name: 'onset', limit: 50, arrivals, onsetS: 30, seconds: 55, isolates: 1 }
    const { onset } = await waitingFigure({ ...crowd, colos: 1 }, 1)
    // The bucket is full when the crowd comes.
    expect(onset).toBeLessThan(1.2)
  }, 60_000)

  it('keeps p95 within the target when a crowd of ten times the learned limit comes', async ({
    expect,
  }) => {
    const { trace } = await runEdge({
      plant: plantOf({
        ...{ name: 'onset', limit: 20, learned: [], seconds: 130 },
        arrivals: steps({ 0: 8, 90: 200 }),
      }),
      ...{ seed: 1, seconds: 130, whenFull: ['queue'], isolates: 1, colos: 1 },
      learner: { name: 'soc-lqr', options: {} },
    })
    const after = trace.filter(({ atMs }) => atMs > 90_000)
    for (const { sample } of after)
      expect(quantileMs(sample.tiers[0]!.latency, 0.95) ?? 0).toBeLessThan(1000)
    const served = after.reduce((sum, { sample }) => sum + sample.goodput, 0) / after.length
    // The origin serves 100 requests per second at the most.
    expect(served).toBeGreaterThan(85)
  }, 60_000)

  it('costs the same with a hundred times as many visitors: memory, messages and calls', async ({
    expect,
  }) => {
    const [small, large] = [await sizeFigure(1000, 1), await sizeFigure(100_000, 1)]
    expect(large.counted / large.waiting).toBeCloseTo(1, 2)
    expect(large.stateBytes).toBeLessThan(2 * small.stateBytes)
    expect(large.isolateReportBytes).toBeLessThan(2.5 * small.isolateReportBytes)
    expect(large.relayReportBytes).toBeLessThan(2.5 * small.relayReportBytes)
    expect(large.planBytes).toBeLessThan(1.2 * small.planBytes)
    // At a small limit draws ask the relay, as many as may be admitted: a hundred times the visitors ask hardly more.
    expect(large.relayCalls).toBeLessThan(1.5 * small.relayCalls)
    expect(large.coordinatorCalls).toBeCloseTo(small.coordinatorCalls, 0)
  }, 60_000)
})
