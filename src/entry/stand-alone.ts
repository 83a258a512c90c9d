import type { TidegateBindings } from '../../durable-objects/bindings.ts'
import { adminApp, isAdminPath } from '../admin/app.ts'
import type { Config } from '../config/config.ts'
import { readSecrets, type SecretsEnv } from '../config/secrets.ts'
import { noRoute } from '../gate/error-response.ts'
import { Gate } from '../gate/gate.ts'
import { ColoPlanCache } from '../gate/plan-cache.ts'
import { proxy } from '../gate/proxy.ts'
import { REASONS_PATH, reasonsPage } from '../gate/reasons-page.ts'
import { faultLine, noRouteLine, TROUBLES } from '../gate/trouble-log.ts'
import { splitUrl, type UrlParts } from '../request/url.ts'
import {
  coloOf,
  durableObjectDesk,
  durableObjectPort,
  regionOf,
} from '../transport/durable-object.ts'
import { durableObjectPasses } from '../transport/durable-object-passes.ts'
import { challenges } from './challenge.ts'
import { clientIpFrom, REAL_RUNTIME } from './platform.ts'

/** One key for all such requests: a client chooses the address. */
const NO_ROUTE = 'no route'

type WorkerEnv = TidegateBindings & Readonly<Record<string, unknown>>

/** Without a route there is no `failure` rule. An exception is answered like a request that no route takes. */
function enterOrNull(gate: Gate, request: Request, url: UrlParts) {
  try {
    return gate.enter(request, url)
  } catch (error) {
    TROUBLES.say('fault', REAL_RUNTIME.now(), () => faultLine('(not found)', 'none', error))
    return null
  }
}

/**
 * The stand-alone Worker: a proxy with a gate. It checks its secrets once, before it serves anything. Only
 * requests to the admin paths go through Hono, so a refusal does not pay for a router.
 */
export function standAlone(config: Config, env: SecretsEnv) {
  const secrets = readSecrets(env)
  const challengeOf = challenges(env, config)
  let admin: ReturnType<typeof adminApp> | null = null
  let gate: Gate | null = null
  return {
    fetch(request: Request, bindings: WorkerEnv, ctx: ExecutionContext) {
      // Clock and random numbers work only inside a request, so the first request creates the gate.
      gate ??= new Gate(config, {
        secrets,
        portFor: (origin) =>
          durableObjectPort(bindings, origin, coloOf(request), regionOf(request)),
        cache: new ColoPlanCache(caches.default),
        runtime: REAL_RUNTIME,
        sender: crypto.randomUUID(),
        ipOf: clientIpFrom(config.clientIp),
        passes: durableObjectPasses(bindings),
        answers: () => caches.default,
        challengeOf,
      })
      const url = splitUrl(request.url)
      if (url.path === REASONS_PATH) return reasonsPage()
      if (url.readings.some(isAdminPath)) {
        admin ??= adminApp({ config, secrets, portOf: durableObjectDesk })
        return admin.fetch(request, bindings, ctx)
      }
      const entered = enterOrNull(gate, request, url)
      if (entered !== null) return proxy(entered.gate, entered.view, ctx)
      TROUBLES.say(NO_ROUTE, REAL_RUNTIME.now(), () =>
        noRouteLine(request.method, url.authority, url.path),
      )
      return noRoute(request)
    },
  } satisfies ExportedHandler<WorkerEnv>
}
