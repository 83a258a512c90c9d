import { afterEach, beforeEach, describe, it, vi } from 'vitest'
import type { RouteConfig } from '../../src/config/user-config.ts'
import { InProcessCoordinator } from '../../src/index.ts'
import { siteOf } from './site.ts'

const NOW = 1_800_000_000_000

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: NOW }))
afterEach(() => void vi.useRealTimers())

const classesOf = (count: number): NonNullable<RouteConfig['classes']> =>
  Array.from({ length: count }, (_, i) => ({
    name: `class-${i}`,
    value: count - i,
    match: { path: i === count - 1 ? '/*' : `/${i}` },
  }))

describe('a new gate', () => {
  for (const count of [1, 2, 3, 4, 5])
    it(`refuses nobody in calm with ${count} classes: a visitor each 250 ms, 20 starts`, async ({
      expect,
    }) => {
      const refused: string[] = []
      for (let start = 0; start < 20; start++) {
        const site = siteOf(`calm-${count}-${start}`, { classes: classesOf(count) })
        for (let visitor = 0; visitor < 12; visitor++) {
          const path = `/${visitor % count}`
          if ((await site.ask(path)) !== 200) refused.push(`start ${start}: ${visitor} at ${path}`)
          await site.pass(250)
        }
        await site.rest()
      }
      expect(refused).toEqual([])
    }, 20_000)
})

describe.each([
  ['Durable Objects', () => undefined],
  // Without a relay nobody lends admissions to an isolate whose bucket is empty.
  ['a coordinator in process', () => new InProcessCoordinator()],
])('a new gate with a limit from the start and %s', (_, coordinator) => {
  for (const count of [1, 2, 5])
    it(`refuses nobody in calm with ${count} classes`, async ({ expect }) => {
      const site = siteOf(
        `limited-${count}`,
        {
          ...{ learner: { name: 'fixed', limit: 6 }, whenFull: 'refuse' },
          classes: classesOf(count),
        },
        coordinator(),
      )
      const statuses: number[] = []
      for (let visitor = 0; visitor < 12; visitor++) {
        // The least valuable class must leave the largest reserve in the bucket.
        statuses.push(await site.ask(`/${count - 1}`))
        await site.pass(250)
      }
      await site.rest()
      expect(statuses).toEqual(statuses.map(() => 200))
    })
})

describe('a quiet site', () => {
  for (const learner of ['soc-lqr', 'soc', 'lqr', 'aimd', 'tbac', 'pac'] as const)
    it(`lets a lone visitor in after a surge and a pause, with ${learner}`, async ({ expect }) => {
      const site = siteOf(`quiet-${learner}`, { learner, sla: { targetMs: 1 } })
      for (let i = 0; i < 100; i++) {
        await Promise.all([site.ask(), site.ask(), site.ask()])
        await site.pass(100)
      }
      await site.rest()
      vi.setSystemTime(Date.now() + 90_000)
      await site.pass(90_000)
      const statuses: number[] = []
      for (let i = 0; i < 3; i++) {
        statuses.push(await site.ask())
        await site.pass(20_000)
      }
      expect(statuses).toEqual([200, 200, 200])
    })
})
