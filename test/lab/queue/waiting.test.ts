import { describe, it } from 'vitest'
import { steps } from '../../../lab/clients/profiles.ts'
import { WAITING_CASES } from '../../../lab/queue/cases.ts'
import { sizeFigure } from '../../../lab/queue/size-figure.ts'
import { waitingFigure } from '../../../lab/queue/waiting-figure.ts'

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

  it('costs the same with a hundred times as many visitors: memory, messages and calls', async ({
    expect,
  }) => {
    const [small, large] = [await sizeFigure(1000, 1), await sizeFigure(100_000, 1)]
    expect(large.counted / large.waiting).toBeCloseTo(1, 2)
    expect(large.stateBytes).toBeLessThan(2 * small.stateBytes)
    expect(large.isolateReportBytes).toBeLessThan(2.5 * small.isolateReportBytes)
    expect(large.relayReportBytes).toBeLessThan(2.5 * small.relayReportBytes)
    expect(large.planBytes).toBeLessThan(1.2 * small.planBytes)
    expect(large.relayCalls).toBeCloseTo(small.relayCalls, 0)
    expect(large.coordinatorCalls).toBeCloseTo(small.coordinatorCalls, 0)
  }, 60_000)
})
