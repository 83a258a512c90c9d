import type { Hono } from 'hono/tiny'
import { type Config, originNameOf } from '../../config/config.ts'
import type { AdminEnv } from '../admin-env.ts'
import { problem } from '../problem.ts'
import { readBody } from '../read-input.ts'
import { routeOr404 } from './ask.ts'
import { changed } from './changed.ts'
import { coordinatorObject } from './coordinator-object.ts'
import { OPERATIONS } from './operations.ts'
import { DRAIN_BODY, HISTORY_BODY, SERVERS_BODY, TIER_BODY } from './requests.ts'

const READ_ONLY = 'This token is read-only.'
const DONE = 204

/** The operations about capacity: how many servers an origin needs, and which it has. */
export function addCapacity(app: Hono<AdminEnv>, config: Config): void {
  app.get(OPERATIONS.capacity.path, async (c) => {
    const route = routeOr404(config, c.req.param('route'))
    if (route instanceof Response) return route
    const answer = await coordinatorObject(c.env, route).capacity()
    return answer === 'null'
      ? problem(404, 'No capacity is planned for this route, or it has had no traffic yet.')
      : jsonOf(answer)
  })

  app.post(OPERATIONS.setTier.path, async (c) => {
    if (c.get('identity').role !== 'write') return problem(403, READ_ONLY)
    const route = routeOr404(config, c.req.param('route'))
    if (route instanceof Response) return route
    const body = await readBody(c.req.raw, TIER_BODY)
    if (body instanceof Response) return body
    const tier = c.req.param('tier') ?? ''
    const { servers } = body
    const what = `said that the tier "${tier}" has ${servers} servers`
    const done = changed(c.get('identity'), route.name, 'tier', what, servers)
    const isKnown = await coordinatorObject(c.env, route).setTierServers(tier, servers, done)
    return isKnown ? c.body(null, DONE) : problem(404, 'There is no such tier.')
  })

  app.post(OPERATIONS.importHistory.path, async (c) => {
    if (c.get('identity').role !== 'write') return problem(403, READ_ONLY)
    const route = routeOr404(config, c.req.param('route'))
    if (route instanceof Response) return route
    const body = await readBody(c.req.raw, HISTORY_BODY, LONGEST_HISTORY)
    if (body instanceof Response) return body
    const { hours } = body
    const what = `imported the arrival rates of ${hours.length} hours`
    const done = changed(c.get('identity'), route.name, 'hours', what, hours.length)
    await coordinatorObject(c.env, route).importHours(hours, done)
    return c.body(null, DONE)
  })

  app.get(OPERATIONS.servers.path, async (c) => {
    const route = routeOr404(config, c.req.param('route'))
    if (route instanceof Response) return route
    return jsonOf(`{"servers":${await coordinatorObject(c.env, route).servers()}}`)
  })

  app.post(OPERATIONS.setServers.path, async (c) => {
    if (c.get('identity').role !== 'write') return problem(403, READ_ONLY)
    const route = routeOr404(config, c.req.param('route'))
    if (route instanceof Response) return route
    const body = await readBody(c.req.raw, SERVERS_BODY)
    if (body instanceof Response) return body
    const { servers } = body
    const urls = servers?.map(({ url }) => url).join(', ') ?? null
    const what = urls === null ? 'set the configured servers again' : `set the servers to ${urls}`
    const done = changed(c.get('identity'), route.name, 'servers', what, urls)
    return (await coordinatorObject(c.env, route).setServers(servers, done))
      ? c.body(null, DONE)
      : problem(409, 'The route has had no traffic yet. Try again after its first request.')
  })
}

/** The operations that take a server out of a pool. */
export function addDrain(app: Hono<AdminEnv>, config: Config): void {
  app.post(OPERATIONS.drain.path, async (c) => {
    if (c.get('identity').role !== 'write') return problem(403, READ_ONLY)
    const route = routeOr404(config, c.req.param('route'))
    if (route instanceof Response) return route
    const body = await readBody(c.req.raw, DRAIN_BODY)
    if (body instanceof Response) return body
    const { url, how, forS, moveTo } = body
    const target = moveTo === undefined ? null : routeOr404(config, moveTo)
    if (target instanceof Response) return target
    const sinceMs = Date.now()
    const drain = {
      ...{ sinceMs, untilMs: sinceMs + forS * 1000, how },
      ...(target === null ? {} : { moveTo: originNameOf(target) }),
    }
    const where = moveTo === undefined ? '' : ` and gave it to the route "${moveTo}"`
    const what = `took ${url} out of the pool${where}`
    const done = changed(c.get('identity'), route.name, 'drain', what, url)
    const wrong = await coordinatorObject(c.env, route).drainServer(url, drain, done)
    return wrong === null ? c.body(null, DONE) : problem(409, wrong)
  })
}

/** 28 days of hours with up to sixty rates each. */
const LONGEST_HISTORY = 600_000

const jsonOf = (json: string): Response =>
  new Response(json, { headers: { 'Content-Type': 'application/json' } })
