import type { Hono } from 'hono/tiny'
import type { Config } from '../../config/config.ts'
import { originNameOf } from '../../config/config.ts'
import type { RouteHistory } from '../../coordinator/operator/history.ts'
import { type VerdictSample, verdictOf } from '../../coordinator/operator/verdict-ring.ts'
import type { AdminEnv } from '../admin-env.ts'
import { problem } from '../problem.ts'
import { readQuery } from '../read-input.ts'
import { askAll } from './ask.ts'
import { OPERATIONS } from './operations.ts'
import { VERDICTS_QUERY } from './requests.ts'

const MINUTE_MS = 60_000

/** Verdicts: a sample of the newest, and any one by the id in its `Tidegate-Verdict` header. */
export function addVerdicts(app: Hono<AdminEnv>, { routes }: Config): void {
  app.get(OPERATIONS.verdicts.path, async (c) => {
    const query = readQuery(c.req.raw, VERDICTS_QUERY)
    if (query instanceof Response) return query
    const { limit, route = null } = query
    const asked = routes.filter(({ name }) => route === null || name === route).map(originNameOf)
    const found = await askAll<VerdictSample[]>(c.get('port'), [...new Set(asked)], () => ({
      op: 'verdicts',
      limit,
      route,
    }))
    const verdicts = found.flat().sort((a, b) => b.atMs - a.atMs)
    return c.json({ verdicts: verdicts.slice(0, limit) })
  })

  app.get(OPERATIONS.verdict.path, async (c) => {
    const verdict = verdictOf(c.req.param('id') ?? '', routes)
    if (verdict === null)
      return problem(404, 'This is no id of a verdict, or its route or class is not configured.')
    const route = routes.find(({ name }) => name === verdict.route)!
    const [history] = await askAll<RouteHistory>(c.get('port'), [originNameOf(route)], () => ({
      op: 'history',
      route: route.name,
      range: 'day',
    }))
    // What the route did in that minute, if it is not longer ago than a day.
    const isThen = ({ atMs }: { readonly atMs: number }): boolean =>
      verdict.atMs < atMs && verdict.atMs >= atMs - MINUTE_MS
    return c.json({ ...verdict, minute: history?.points.find(isThen) ?? null })
  })
}
