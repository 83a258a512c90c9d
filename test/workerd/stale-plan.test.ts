import { afterEach, beforeEach, describe, it, vi } from 'vitest'
import { siteOf } from './site.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: 1_800_000_000_000 }))
afterEach(() => void vi.useRealTimers())

describe('a plan that is out of date', () => {
  it('lets a lone visitor in whom the limit of the surge would refuse', async ({ expect }) => {
    const site = siteOf('quiet-fixed', {
      ...{ learner: { name: 'fixed', limit: 0.5 }, whenFull: 'refuse' },
      classes: [
        { name: 'members', value: 10, match: { path: '/members' } },
        { name: 'visitors', value: 1 },
      ],
    })
    const visitors: number[] = []
    for (let i = 0; i < 60; i++) {
      await Promise.all([site.ask('/members'), site.ask('/members')])
      visitors.push(await site.ask())
      await site.pass(250)
    }
    // The members take all of it.
    expect(visitors.slice(-20)).not.toContain(200)
    await site.rest()
    // The relay passes the last report on by a timer of its own, which runs in real time.
    await new Promise((resolve) => setTimeout(resolve, 950))
    await site.pass(90_000)
    expect(await site.ask()).toBe(200)
  })
})
