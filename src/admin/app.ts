import { Hono } from 'hono/tiny'
import type { TidegateBindings } from '../../durable-objects/bindings.ts'
import type { Config } from '../config/config.ts'
import { originNameOf } from '../config/config.ts'
import type { Secrets } from '../config/secrets.ts'
import type { RouteStatus } from '../coordinator/coordinator-core.ts'
import type { CapacityEvent } from '../learners/learner-interface.ts'
import { LARGEST_RATIO } from '../learners/sample.ts'
import { Signer, sameText } from '../lib/signer.ts'
import { durableObjectPort } from '../transport/durable-object.ts'
import { HTTP_RELAY, REPORT_PATH, readSignedReport, signedAnswer } from '../transport/http.ts'

/** Everything below /_tidegate/. A request without the token gets 401, whether its path exists or not. */
export function adminApp(config: Config, secrets: Secrets): Hono<{ Bindings: TidegateBindings }> {
  const app = new Hono<{ Bindings: TidegateBindings }>()
  const signer = new Signer(secrets)

  app.post(REPORT_PATH, async (c) => {
    const feedback = await readSignedReport(c.req.raw, signer, Date.now())
    if (feedback === null) return unauthorized()
    const answer = await durableObjectPort(c.env, feedback.origin, HTTP_RELAY).report(feedback)
    return signedAnswer(c.req.raw, answer, signer)
  })

  // No path here: a path may spell /_tidegate/ with escapes, which a pattern would not match.
  app.use(async (c, next) => {
    const given = c.req.header('Authorization') ?? ''
    if (!sameText(`Bearer ${secrets.adminToken}`, given)) return unauthorized()
    return next()
  })

  app.get('/_tidegate/api/routes', async (c) => {
    const origins = [...new Set(config.routes.map(originNameOf))]
    const answers = await Promise.all(
      origins.map((origin) => c.env.TIDEGATE_COORDINATOR.getByName(origin).status()),
    )
    const statuses = answers.flatMap((json) => JSON.parse(json) as RouteStatus[])
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
    return c.json({ routes }, 200, { 'Cache-Control': 'no-store' })
  })

  /** The origin's capacity changes. The learner scales what it knows by after / before. */
  app.post('/_tidegate/api/routes/:name/capacity', async (c) => {
    const route = config.routes.find(({ name }) => name === c.req.param('name'))
    if (!route) return c.notFound()
    const event = capacityEvent(await c.req.json().catch(() => null))
    if (event === null) return badRequest(CAPACITY_FORM)
    await c.env.TIDEGATE_COORDINATOR.getByName(originNameOf(route)).announce(event)
    return c.body(null, 204)
  })

  app.notFound(() => problem({ type: 'about:blank', title: 'Not found', status: 404 }))
  return app
}

export const isAdminPath = (path: string): boolean =>
  path.startsWith('/_tidegate/') || path === '/_tidegate'

const CAPACITY_FORM = `Expected {"before": N, "after": N}: two numbers above 0, in any unit, such as servers. Neither may be more than ${LARGEST_RATIO} times the other.`

/** null: the body has another form. */
function capacityEvent(given: unknown): CapacityEvent | null {
  if (typeof given !== 'object' || given === null) return null
  const { before, after } = given as { before?: unknown; after?: unknown }
  const isAmount = (value: unknown): value is number =>
    typeof value === 'number' && value > 0 && value < 1e12
  if (!isAmount(before) || !isAmount(after)) return null
  // Learners ignore a larger change.
  return Math.max(before / after, after / before) <= LARGEST_RATIO ? { before, after } : null
}

function badRequest(detail: string): Response {
  return problem({ type: 'about:blank', title: 'Bad request', status: 400, detail })
}

function unauthorized(): Response {
  const response = problem({ type: 'about:blank', title: 'Unauthorized', status: 401 })
  response.headers.set('WWW-Authenticate', 'Bearer')
  return response
}

function problem(body: { readonly status: number; readonly [key: string]: unknown }): Response {
  return new Response(JSON.stringify(body), {
    status: body.status,
    headers: { 'Content-Type': 'application/problem+json', 'Cache-Control': 'no-store' },
  })
}
