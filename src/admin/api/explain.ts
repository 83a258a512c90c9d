import type { Hono } from 'hono/tiny'
import type { Config, Route } from '../../config/config.ts'
import { originNameOf } from '../../config/config.ts'
import type { Secrets } from '../../config/secrets.ts'
import type { RouteStatus } from '../../coordinator/operator/route-status.ts'
import { RetryCookies } from '../../gate/retry-cookie.ts'
import { SessionCookies } from '../../gate/session-cookie.ts'
import { Signer } from '../../lib/signer.ts'
import type { AdminEnv } from '../admin-env.ts'
import { type CookieReader, explain } from '../explain/explain.ts'
import { readBody } from '../read-input.ts'
import { askAll } from './ask.ts'
import { OPERATIONS } from './operations.ts'
import { EXPLAIN_BODY } from './requests.ts'

/** Explains a request that an operator describes. Nothing is sent, and nothing is counted. */
export function addExplain(app: Hono<AdminEnv>, config: Config, secrets: Secrets): void {
  const cookies = cookieReader(secrets)
  app.post(OPERATIONS.explain.path, async (c) => {
    const described = await readBody(c.req.raw, EXPLAIN_BODY)
    if (described instanceof Response) return described
    const statusOf = async (route: Route): Promise<RouteStatus | null> => {
      const request = { op: 'status', routes: [route.name] } as const
      const [found] = await askAll<RouteStatus[]>(
        c.get('port'),
        [originNameOf(route)],
        () => request,
      )
      return found?.[0] ?? null
    }
    return c.json(await explain(config, described, cookies, statusOf))
  })
}

function cookieReader(secrets: Secrets): CookieReader {
  const signer = new Signer(secrets)
  return {
    hasSession(route, { cookies, url }) {
      if (route.granularity !== 'session') return false
      const sessions = new SessionCookies(route, signer, WRITES_NOTHING)
      return sessions.read(cookies, Date.now(), url.isSecure) !== null
    },
    waitS(route, { cookies, url }) {
      return new RetryCookies(route, signer).waitS(cookies, Date.now(), url.isSecure)
    },
  }
}

/** For a reader of cookies that begins no session. */
const WRITES_NOTHING = {
  now: () => Date.now(),
  coin: () => 0,
  id: () => '',
  sleep: () => Promise.resolve(),
}
