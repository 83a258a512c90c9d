import type { TidegateBindings } from '../../durable-objects/bindings.ts'
import { adminApp, isAdminPath } from '../admin/app.ts'
import type { Config } from '../config/config.ts'
import { readSecrets, type SecretsEnv } from '../config/secrets.ts'
import { noRoute } from '../gate/error-response.ts'
import { Gate } from '../gate/gate.ts'
import { ColoPlanCache } from '../gate/plan-cache.ts'
import { proxy } from '../gate/proxy.ts'
import { REASONS_PATH, reasonsPage } from '../gate/reasons-page.ts'
import { splitUrl } from '../request/url.ts'
import { coloOf, durableObjectPort } from '../transport/durable-object.ts'
import { clientIpFrom, REAL_RUNTIME } from './platform.ts'

type WorkerEnv = TidegateBindings & Readonly<Record<string, unknown>>

/**
 * The stand-alone Worker: a proxy with a gate. It checks its secrets once, before it serves anything. Only
 * requests to the admin paths go through Hono, so a refusal does not pay for a router.
 */
export function standAlone(config: Config, env: SecretsEnv) {
  const secrets = readSecrets(env)
  let admin: ReturnType<typeof adminApp> | null = null
  let gate: Gate | null = null
  return {
    fetch(request: Request, bindings: WorkerEnv, ctx: ExecutionContext) {
      // Clock and random numbers work only inside a request, so the first request creates the gate.
      gate ??= new Gate(config, {
        secrets,
        portFor: (origin) => durableObjectPort(bindings, origin, coloOf(request)),
        cache: new ColoPlanCache(caches.default),
        runtime: REAL_RUNTIME,
        sender: crypto.randomUUID(),
        ipOf: clientIpFrom(config.clientIp),
      })
      const url = splitUrl(request.url)
      if (url.path === REASONS_PATH) return reasonsPage()
      if (url.readings.some(isAdminPath)) {
        admin ??= adminApp(config, secrets)
        return admin.fetch(request, bindings, ctx)
      }
      const entered = gate.enter(request, url)
      return entered === null ? noRoute(request) : proxy(entered.gate, entered.view, ctx)
    },
  } satisfies ExportedHandler<WorkerEnv>
}
