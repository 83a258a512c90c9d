import type { Hono } from 'hono/tiny'
import type { Config, Route } from '../../config/config.ts'
import { originNameOf } from '../../config/config.ts'
import type { RouteStatus } from '../../coordinator/operator/route-status.ts'
import type { OriginSnapshot } from '../../coordinator/operator/snapshot.ts'
import type { AdminEnv } from '../admin-env.ts'
import { hasOwnOrigin } from '../auth/same-origin.ts'
import { metricsText } from '../metrics/metrics-text.ts'
import { problem } from '../problem.ts'
import { readQuery } from '../read-input.ts'
import { answerOf, askAll, askEach, routeOr404 } from './ask.ts'
import { mergedLog } from './merged-log.ts'
import { METRICS_PATH, OPERATIONS } from './operations.ts'
import { HISTORY_QUERY, LOG_QUERY, NO_QUERY, ROUTES_QUERY } from './requests.ts'

/** The operations that change nothing. */
export function addReads(app: Hono<AdminEnv>, config: Config): void {
  const origins = [...new Set(config.routes.map(originNameOf))]

  app.get(OPERATIONS.me.path, (c) => c.json(c.get('identity')))

  app.get(OPERATIONS.routes.path, async (c) => {
    const query = readQuery(c.req.raw, ROUTES_QUERY)
    if (query instanceof Response) return query
    const from = config.routes.findIndex(({ name }) => name === query.after) + 1
    const page = config.routes.slice(from, from + query.limit)
    const asked = [...new Set(page.map(originNameOf))]
    const found = await askEach<RouteStatus[]>(c.get('port'), asked, (origin) => ({
      op: 'status',
      routes: page.filter((route) => originNameOf(route) === origin).map(({ name }) => name),
    }))
    const routes = page.map((route) => {
      const statuses = found.get(originNameOf(route))
      if (statuses === undefined) return { ...idleStatus(route), summary: UNREACHABLE }
      const status = statuses.find(({ name }) => name === route.name)
      return status === undefined ? idleStatus(route) : withoutLearnerState(status)
    })
    const hasMore = from + query.limit < config.routes.length
    return c.json({ atMs: Date.now(), routes, next: hasMore ? page.at(-1)!.name : null })
  })

  app.get(OPERATIONS.status.path, async (c) => {
    const route = routeOr404(config, c.req.param('route'))
    if (route instanceof Response) return route
    const query = readQuery(c.req.raw, NO_QUERY)
    if (query instanceof Response) return query
    const [found] = await askAll<RouteStatus[]>(c.get('port'), [originNameOf(route)], () => ({
      op: 'status',
      routes: [route.name],
    }))
    return c.json(found?.[0] ?? idleStatus(route))
  })

  app.get(OPERATIONS.history.path, async (c) => {
    const route = routeOr404(config, c.req.param('route'))
    if (route instanceof Response) return route
    const query = readQuery(c.req.raw, HISTORY_QUERY)
    if (query instanceof Response) return query
    const request = { op: 'history', route: route.name, range: query.range } as const
    return answerOf(await c.get('port').ask(originNameOf(route), request))
  })

  for (const op of ['events', 'audit'] as const)
    app.get(OPERATIONS[op].path, async (c) => {
      const query = readQuery(c.req.raw, LOG_QUERY)
      if (query instanceof Response) return query
      const only = config.routes.filter(({ name }) => name === query.route).map(originNameOf)
      const asked = query.route === undefined ? origins : only
      const { entries, next } = await mergedLog(c.get('port'), asked, op, {
        limit: query.limit,
        beforeMs: query.before ?? null,
        route: query.route ?? null,
      })
      return c.json(op === 'events' ? { events: entries, next } : { entries, next })
    })

  app.get(OPERATIONS.live.path, async (c) => {
    const route = routeOr404(config, c.req.param('route'))
    if (route instanceof Response) return route
    const port = c.get('port')
    if (port.live === undefined) return problem(501, 'No WebSocket here: poll the status.')
    if (c.req.header('Upgrade') !== 'websocket')
      return problem(426, 'Expected a WebSocket: the header "Upgrade: websocket".')
    if (c.get('identity').via !== 'token' && !hasOwnOrigin(c.req.raw))
      return problem(403, 'The request does not come from the page of Tidegate.')
    return port.live(originNameOf(route), route.name, c.req.raw)
  })

  app.get(METRICS_PATH, async (c) => {
    const snapshots = await askEach<OriginSnapshot | null>(c.get('port'), origins, () => ({
      op: 'metrics',
    }))
    const text = metricsText([...snapshots.values()].filter((snapshot) => snapshot !== null))
    return c.body(text, 200, { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' })
  })
}

/** The state of a learner is large, and the same for all routes of an origin. The status of one route has it. */
function withoutLearnerState({ learner, ...rest }: RouteStatus) {
  const { state: _, ...shown } = learner
  return { ...rest, learner: shown }
}

const UNREACHABLE = {
  level: 'trouble',
  text: 'The coordinator of this route does not answer. The gate works by the last plan that it has.',
}

/** The status of a route of which no report has come yet. */
function idleStatus({ name, granularity, mode, learner, ...route }: Route) {
  return {
    ...{ name, origin: originNameOf(route), granularity, mode, configuredMode: mode },
    summary: { level: 'idle', text: 'No request has come since the gate was deployed.' },
    ...{ now: null, lastMinute: null, plan: null, planAgeMs: null, overcommitted: false },
    learner: { name: learner.name, reason: 'no-data', meaning: '' },
    ...{ servers: [], dataCentres: [], overrides: [], senders: 0 },
    reports: { taken: 0, repeated: 0, refused: 0 },
  }
}
