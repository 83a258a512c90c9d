import { describe, it } from 'vitest'
import { measureTicks } from '../../bench/coordinator/ticks.ts'

describe('the benchmark of the coordinator', () => {
  it('times a tick apart from the reports, also of a single data centre', ({ expect }) => {
    const figure = measureTicks({ colos: 1, classes: 3, routes: 1, requests: 100 }, 3)
    const { reportUs, tickUs, reportBytes, planBytes } = figure
    expect(Math.min(reportUs, tickUs, reportBytes, planBytes)).toBeGreaterThan(0)
  })
})
