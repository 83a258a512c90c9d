import { describe, it } from 'vitest'
import { InProcessCoordinator } from '../../src/transport/in-process.ts'
import { feedbackOf, setupOf } from '../support/feedback.ts'

const report = (seq: number, offered: number, toMs: number) =>
  feedbackOf({ shop: { default: { offered } } }, { seq, toMs, setup: setupOf() })

describe('the coordinator in process', () => {
  it('answers a report with the plan that it led to, and the whole share', async ({ expect }) => {
    let nowMs = 1000
    const coordinator = new InProcessCoordinator(() => nowMs)
    const first = await coordinator.report(report(0, 0, 1000))
    expect(first).toMatchObject({ plan: { seq: 1, drawLimit: 50 }, share: 1 })
    nowMs = 2000
    const second = await coordinator.report(report(1, 200, 2000))
    expect(second.plan).toMatchObject({ seq: 2, routes: { shop: { limit: 50 } } })
  })

  it('has a core for each origin', async ({ expect }) => {
    const coordinator = new InProcessCoordinator(() => 1000)
    await coordinator.report(report(0, 10, 1000))
    await coordinator.report({ ...report(0, 99, 1000), origin: 'other' })
    const arrivals = (origin: string) => coordinator.core(origin).state!.arrivals['shop/default']
    expect(arrivals('origin')?.rate).toBe(10)
    expect(arrivals('other')?.rate).toBe(99)
  })

  it('ignores an invalid report', async ({ expect }) => {
    const coordinator = new InProcessCoordinator(() => 1000)
    const bad = { ...report(0, 10, 1000), seq: -1 }
    expect(await coordinator.report(bad)).toEqual({ plan: null, share: 0 })
  })
})
