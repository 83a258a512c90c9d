import { createExecutionContext, env, waitOnExecutionContext } from 'cloudflare:test'
import { Hono } from 'hono'
import { vi } from 'vitest'
import type { RouteConfig } from '../../src/config/user-config.ts'
import { type CoordinatorPort, tidegate } from '../../src/index.ts'
import { FakeRuntime } from '../support/fakes.ts'

/** A new isolate. It reports to `coordinator`, by default to real Durable Objects. Each name is a route of its own. */
export function siteOf(
  name: string,
  keys: Partial<RouteConfig> = {},
  coordinator?: CoordinatorPort,
) {
  const runtime = new FakeRuntime(Date.now())
  const app = new Hono()
  const options = coordinator ? { runtime, coordinator } : { runtime }
  app.use(tidegate({ routes: [{ name, match: '/*', ...keys }] }, options))
  app.all('*', (c) => c.text('page'))
  const contexts: ExecutionContext[] = []
  const ask = async (path = '/') => {
    const ctx = createExecutionContext()
    contexts.push(ctx)
    return (await app.fetch(new Request(`https://shop.example.com${path}`), env, ctx)).status
  }
  /** Lets time pass here and in the Durable Objects. */
  const pass = async (ms: number) => {
    vi.setSystemTime(Date.now() + ms)
    await runtime.advance(ms)
    // Answers of Durable Objects come in real time.
    await new Promise((resolve) => setTimeout(resolve, 0))
  }
  const rest = async () => {
    await pass(5000)
    for (const ctx of contexts.splice(0)) await waitOnExecutionContext(ctx)
  }
  /** Timers of the isolate that have not ended. */
  const sleeping = () => runtime.sleeping
  return { ask, pass, rest, sleeping }
}
