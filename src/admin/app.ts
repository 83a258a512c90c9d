import { Hono } from 'hono'
import type { Secrets } from '../config/secrets.ts'
import type { Config } from '../config/types.ts'
import type { RouteStatus } from '../control/brain.ts'
import { originNameOf } from '../edge/setup.ts'
import { Signer, sameText } from '../edge/signer.ts'
import { durableObjectPort, type TidegateBindings } from '../ports/durable-object.ts'
import { REPORT_PATH, readSignedReport, signedAnswer } from '../ports/http.ts'

/** Everything below /_tidegate/: the operator's side. Whoever has no key to it gets 401, whatever is there. */
export function adminApp(config: Config, secrets: Secrets): Hono<{ Bindings: TidegateBindings }> {
  const app = new Hono<{ Bindings: TidegateBindings }>()
  const signer = new Signer(secrets)

  app.post(REPORT_PATH, async (c) => {
    const feedback = await readSignedReport(c.req.raw, signer, Date.now())
    if (feedback === null) return unauthorized()
    const answer = await durableObjectPort(c.env, feedback.origin, coloOf(c.req.raw)).report(
      feedback,
    )
    return signedAnswer(c.req.raw, answer, signer)
  })

  app.use('/_tidegate/*', async (c, next) => {
    const given = c.req.header('Authorization') ?? ''
    if (!sameText(`Bearer ${secrets.adminToken}`, given)) return unauthorized()
    return next()
  })

  app.get('/_tidegate/api/routes', async (c) => {
    const origins = [...new Set(config.routes.map(originNameOf))]
    const heard = await Promise.all(
      origins.map((origin) => c.env.TIDEGATE_COORDINATOR.getByName(origin).status()),
    )
    const statuses = heard.flatMap((json) => JSON.parse(json) as RouteStatus[])
    const known = new Map(statuses.map((status) => [status.name, status]))
    const routes = config.routes.map(
      ({ name, granularity, mode, origin, learner }) =>
        known.get(name) ?? {
          name,
          origin: origin?.name ?? null,
          granularity,
          mode,
          learner: { name: learner.name },
          plan: null,
          lastMinute: null,
        },
    )
    return c.json({ routes })
  })

  app.notFound((c) => c.json({ type: 'about:blank', title: 'Not found', status: 404 }, 404))
  return app
}

export const isAdminPath = (path: string): boolean =>
  path.startsWith('/_tidegate/') || path === '/_tidegate'

export function coloOf(request: Request): string {
  return String((request as { cf?: { colo?: unknown } }).cf?.colo ?? 'local')
}

function unauthorized(): Response {
  return new Response('{"type":"about:blank","title":"Unauthorized","status":401}', {
    status: 401,
    headers: {
      'Content-Type': 'application/problem+json',
      'Cache-Control': 'no-store',
      'WWW-Authenticate': 'Bearer',
    },
  })
}
