import { Hono } from 'hono/tiny'
import type { TidegateBindings } from '../../durable-objects/bindings.ts'
import type { Config } from '../config/config.ts'
import type { Secrets } from '../config/secrets.ts'
import type { OperatorPort } from '../coordinator/operator/desk-messages.ts'
import { Signer } from '../lib/signer.ts'
import { relayName } from '../transport/durable-object.ts'
import {
  HTTP_RELAY,
  REPORT_PATH,
  readSignedReport,
  signedAnswer,
  signedAtMs,
} from '../transport/http.ts'
import type { AdminEnv } from './admin-env.ts'
import { addActions } from './api/act.ts'
import { addCapacity, addDrain } from './api/capacity.ts'
import { NoObject } from './api/coordinator-object.ts'
import { addDocument } from './api/document.ts'
import { addExplain } from './api/explain.ts'
import { KNOWN_PATHS } from './api/operations.ts'
import { addReads } from './api/read.ts'
import { addRoomEvents } from './api/room-events.ts'
import { addSignIn } from './api/sign-in.ts'
import { addStock } from './api/stock.ts'
import { addVerdicts } from './api/verdicts.ts'
import { Identification } from './auth/identify.ts'
import { isFromOwnPage } from './auth/same-origin.ts'
import { dashboardResponse } from './dashboard.ts'
import { problem, unauthorized } from './problem.ts'

interface AdminOptions {
  readonly config: Config
  readonly secrets: Secrets
  /** The coordinators that this Worker or process reports to. */
  readonly portOf: (bindings: TidegateBindings) => OperatorPort
}

/** Everything below /_tidegate/. A request without a token gets 401, whether its path exists or not. */
export function adminApp({ config, secrets, portOf }: AdminOptions): Hono<AdminEnv> {
  const app = new Hono<AdminEnv>()
  const signer = new Signer(secrets)
  const identification = new Identification(secrets)

  app.post(REPORT_PATH, async (c) => {
    const feedback = await readSignedReport(c.req.raw, signer, Date.now())
    if (feedback === null) return unauthorized()
    const relay = c.env.TIDEGATE_RELAY.getByName(relayName(feedback.origin, HTTP_RELAY))
    const answer = await relay.reportSigned(feedback, signedAtMs(c.req.raw))
    if (answer === null) return problem(409, 'The report may be a copy: the relay has restarted.')
    return signedAnswer(c.req.raw, answer, signer)
  })

  addSignIn(app, identification)

  app.get('/_tidegate/', dashboardResponse)

  // No path here: a path may spell /_tidegate/ with escapes, which a pattern would not match.
  app.use(async (c, next) => {
    const identity = await identification.identify(c.req.raw, Date.now())
    if (identity === null) return unauthorized()
    if (!isSafe(c.req.method) && identity.via !== 'token' && !isFromOwnPage(c.req.raw))
      return problem(403, 'The request does not come from the page of Tidegate.')
    c.set('identity', identity)
    c.set('port', portOf(c.env))
    await next()
    // The headers of an upgraded connection cannot be written to.
    if (c.res.status !== 101) c.res.headers.set('Cache-Control', 'no-store')
    return
  })

  addReads(app, config)
  addActions(app, config)
  addCapacity(app, config)
  addStock(app, config)
  addRoomEvents(app, config)
  addDrain(app, config)
  addExplain(app, config, secrets)
  addVerdicts(app, config)
  addDocument(app)

  for (const [path, methods] of KNOWN_PATHS)
    app.all(path, () => {
      const response = problem(405, `Allowed here: ${methods.join(', ')}.`)
      response.headers.set('Allow', methods.join(', '))
      return response
    })
  app.notFound(() => problem(404))
  app.onError((error) => {
    if (error instanceof NoObject) return problem(501, error.message)
    console.error(error)
    return problem(503, 'The coordinator does not answer. Try again.')
  })
  return app
}

const isSafe = (method: string): boolean => method === 'GET' || method === 'HEAD'

export const isAdminPath = (path: string): boolean =>
  path.startsWith('/_tidegate/') || path === '/_tidegate'
