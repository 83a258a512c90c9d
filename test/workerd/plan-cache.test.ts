import { createExecutionContext, env } from 'cloudflare:test'
import { afterEach, describe, it, vi } from 'vitest'
import type { TidegateBindings } from '../../durable-objects/bindings.ts'
import type { SecretsEnv } from '../../src/config/secrets.ts'
import { worker } from '../../src/entry/worker.ts'
import { ColoPlanCache } from '../../src/gate/plan-cache.ts'
import { planOf } from '../support/requests.ts'

const ORIGIN = 'https://cached.example.com'

/** A data centre whose relay does not answer. */
const NO_ANSWER = {
  TIDEGATE_RELAY: { getByName: () => ({ report: () => new Promise(() => {}) }) },
} as unknown as TidegateBindings & Record<string, unknown>

/** How many of so many visitors who come at once a new isolate of the stand-alone Worker lets in. */
async function admittedOf(visitors: number): Promise<number> {
  vi.stubGlobal('fetch', async () => new Response('page'))
  const routes = [{ name: 'shop', match: '/*', origin: ORIGIN, whenFull: 'refuse' as const }]
  const isolate = worker({ routes }, env as unknown as SecretsEnv)
  const answers = await Promise.all(
    Array.from({ length: visitors }, () =>
      isolate.fetch(new Request('https://shop.example.com/'), NO_ANSWER, createExecutionContext()),
    ),
  )
  return answers.filter(({ status }) => status === 200).length
}

afterEach(() => vi.unstubAllGlobals())

describe('a new isolate of the stand-alone Worker whose relay does not answer', () => {
  it('lets in 20 where the cache of its data centre has no plan, and a fair part of one that it has', async ({
    expect,
  }) => {
    expect(await admittedOf(60)).toBe(20)
    const plan = { ...planOf({ drawLimit: 100 }), origin: ORIGIN }
    await new ColoPlanCache(caches.default).offer({ plan, fairPart: 0.03 }, Date.now())
    const admitted = await admittedOf(60)
    // Three a second, by the real clock.
    expect(admitted).toBeGreaterThanOrEqual(1)
    expect(admitted).toBeLessThan(10)
  })
})
