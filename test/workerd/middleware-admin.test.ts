import { createExecutionContext, env } from 'cloudflare:test'
import { Hono } from 'hono'
import { describe, it } from 'vitest'
import type { RouteStatus } from '../../src/coordinator/operator/route-status.ts'
import { InProcessCoordinator, type MiddlewareOptions, tidegate } from '../../src/index.ts'
import type { CoordinatorPort } from '../../src/protocol/coordinator-port.ts'

const HEADERS = { Authorization: `Bearer ${env.TIDEGATE_ADMIN_TOKEN}` }
const STATUS = '/_tidegate/api/v1/routes/shop/status'

function appOf(options: MiddlewareOptions = {}) {
  const app = new Hono()
  app.use(tidegate({ routes: [{ name: 'shop', match: '/shop/*' }] }, options))
  app.get('/_tidegate/*', (c) => c.text('of the app', 418))
  app.get('/shop', (c) => c.text('shop'))
  return (path: string, init: RequestInit = {}) =>
    app.fetch(new Request(`https://shop.example.com${path}`, init), env, createExecutionContext())
}

const { TIDEGATE_ADMIN_TOKEN: _, ...WITHOUT_TOKEN } = env

describe('the admin app behind the middleware', () => {
  it('is the same as that of the stand-alone gate, with the token', async ({ expect }) => {
    const ask = appOf()
    expect((await ask(STATUS)).status).toBe(401)
    const response = await ask(STATUS, { headers: HEADERS })
    expect(await response.json<RouteStatus>()).toMatchObject({ name: 'shop', origin: 'app' })
    expect((await ask('/_tidegate/metrics', { headers: HEADERS })).status).toBe(200)
  })

  it('asks the coordinator in process', async ({ expect }) => {
    const coordinator = new InProcessCoordinator()
    const ask = appOf({ coordinator })
    const body = JSON.stringify({ action: 'mode', mode: 'observe' })
    const path = '/_tidegate/api/v1/routes/shop/actions'
    expect((await ask(path, { method: 'POST', headers: HEADERS, body })).status).toBe(201)
    expect(coordinator.core('app').plan!.routes.shop!.mode).toBe('observe')
    const status = await ask(STATUS, { headers: HEADERS })
    expect(await status.json<RouteStatus>()).toMatchObject({
      ...{ mode: 'observe', configuredMode: 'enforce', overrides: [{ by: 'token' }] },
    })
    const live = { headers: { ...HEADERS, Upgrade: 'websocket' } }
    expect((await ask(STATUS.replace('status', 'live'), live)).status).toBe(501)
  })

  it('is not there without a token, and not for a coordinator elsewhere', async ({ expect }) => {
    const elsewhere: CoordinatorPort = { report: async () => ({ plan: null, share: 0 }) }
    for (const ask of [appOf({ env: WITHOUT_TOKEN }), appOf({ coordinator: elsewhere })])
      expect((await ask(STATUS, { headers: HEADERS })).status).toBe(418)
  })
})
