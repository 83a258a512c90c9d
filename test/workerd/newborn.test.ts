import { afterEach, beforeEach, describe, it, vi } from 'vitest'
import type { RouteConfig } from '../../src/config/user-config.ts'
import { siteOf } from './site.ts'

const NOW = 1_800_000_000_000

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: NOW }))
afterEach(() => void vi.useRealTimers())

describe('an isolate that was just born', () => {
  it('keeps to the limit of its data centre from its first request on', async ({ expect }) => {
    const keys: Partial<RouteConfig> = {
      learner: { name: 'fixed', limit: 2 },
      granularity: 'request',
    }
    const first = siteOf('born', keys)
    for (let i = 0; i < 40; i++) {
      await first.ask()
      await first.pass(100)
    }
    let admitted = 0
    // Thirty isolates, each with five visitors at once.
    for (let i = 0; i < 30; i++) {
      const born = siteOf('born', keys)
      for (let k = 0; k < 5; k++) if ((await born.ask()) === 200) admitted++
    }
    expect(admitted).toBeLessThan(30)
    await first.rest()
  })
})
