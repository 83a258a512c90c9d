import { adminApp, coloOf, isAdminPath } from './admin/app.ts'
import { readSecrets, type SecretsEnv } from './config/secrets.ts'
import type { Config } from './config/types.ts'
import { noRoute } from './edge/answers.ts'
import { Gate } from './edge/gate.ts'
import { ColoPlanCache } from './edge/plan-cache.ts'
import { proxy } from './edge/proxy.ts'
import type { Rim } from './edge/rim.ts'
import { splitUrl } from './edge/url.ts'
import { CLIENT_IP } from './origin/headers.ts'
import { durableObjectPort, type TidegateBindings } from './ports/durable-object.ts'

type WorkerEnv = TidegateBindings & Readonly<Record<string, unknown>>

/** The real clock and the real coins. */
export const REAL_RIM: Rim = {
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
        rim: REAL_RIM,
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
