import type { TidegateBindings } from '../../durable-objects/bindings.ts'
import { adminApp, coloOf, isAdminPath } from '../admin/app.ts'
import type { Config } from '../config/config.ts'
import { readSecrets, type SecretsEnv } from '../config/secrets.ts'
import { Gate } from '../gate/gate.ts'
import { ColoPlanCache } from '../gate/plan-cache.ts'
import { proxy } from '../gate/proxy.ts'
import { noRoute } from '../gate/refusal-response.ts'
import type { Runtime } from '../lib/runtime.ts'
import { CLIENT_IP } from '../origin/forwarded-headers.ts'
import { splitUrl } from '../request/url.ts'
import { durableObjectPort } from '../transport/durable-object.ts'

type WorkerEnv = TidegateBindings & Readonly<Record<string, unknown>>

/** The real clock and the real coins. */
export const REAL_RUNTIME: Runtime = {
  now: () => Date.now(),
  coin: () => Math.random(),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
}

export const cloudflareIp = (request: Request): string | null => request.headers.get(CLIENT_IP)

/**
 * The stand-alone Worker: a proxy with a gate. The secrets are checked here, once, before anything is served. The gate
 * decides before Hono sees the request: a refusal costs no router.
 */
export function standAlone(config: Config, env: SecretsEnv) {
  const secrets = readSecrets(env)
  let admin: ReturnType<typeof adminApp> | null = null
  let gate: Gate | null = null
  return {
    fetch(request: Request, bindings: WorkerEnv, ctx: ExecutionContext) {
      // Only a request may ask for chance and time, and only it knows the colo: the gate is made with the first.
      gate ??= new Gate(config, {
        secrets,
        portFor: (origin) => durableObjectPort(bindings, origin, coloOf(request)),
        cache: new ColoPlanCache(caches.default),
        runtime: REAL_RUNTIME,
        sender: crypto.randomUUID(),
        ipOf: cloudflareIp,
      })
      const entered = gate.enter(request)
      const { path } = entered?.subject.url ?? splitUrl(request.url)
      if (isAdminPath(path)) {
        admin ??= adminApp(config, secrets)
        return admin.fetch(request, bindings, ctx)
      }
      if (entered === null) return noRoute(request)
      return proxy(entered.gate, entered.subject, ctx)
    },
  } satisfies ExportedHandler<WorkerEnv>
}
