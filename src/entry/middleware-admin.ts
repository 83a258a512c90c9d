import type { Context } from 'hono'
import type { TidegateBindings } from '../../durable-objects/bindings.ts'
import { adminApp, isAdminPath } from '../admin/app.ts'
import type { Config } from '../config/config.ts'
import { readSecrets, type SecretsEnv } from '../config/secrets.ts'
import type { OperatorPort } from '../coordinator/operator/desk-messages.ts'
import type { CoordinatorPort } from '../protocol/coordinator-port.ts'
import { durableObjectDesk } from '../transport/durable-object.ts'
import { SECRETS_PLACE } from './platform.ts'

/**
 * The admin app behind the middleware, which serves it only if `TIDEGATE_ADMIN_TOKEN` is set. Otherwise the paths below
 * /_tidegate/ belong to the app. A coordinator over HTTP has an admin app of its own, at its own address.
 */
export class MiddlewareAdmin {
  readonly #config: Config
  readonly #env: SecretsEnv
  readonly #coordinator: CoordinatorPort | undefined
  #app: ReturnType<typeof adminApp> | null = null

  constructor(config: Config, env: SecretsEnv, coordinator: CoordinatorPort | undefined) {
    this.#config = config
    this.#env = env
    this.#coordinator = coordinator
  }

  /** null: the request is for the app. */
  answer(c: Context): Response | Promise<Response> | null {
    if (!isAdminPath(c.req.path) || !this.#isOn) return null
    this.#app ??= adminApp({
      config: this.#config,
      secrets: readSecrets(this.#env, SECRETS_PLACE),
      portOf: (bindings: TidegateBindings) =>
        isOperatorPort(this.#coordinator) ? this.#coordinator : durableObjectDesk(bindings),
    })
    return this.#app.fetch(c.req.raw, c.env as TidegateBindings)
  }

  get #isOn(): boolean {
    const { TIDEGATE_ADMIN_TOKEN: token } = this.#env
    const isReachable = this.#coordinator === undefined || isOperatorPort(this.#coordinator)
    return isReachable && token !== undefined && token !== ''
  }
}

function isOperatorPort(port: CoordinatorPort | undefined): port is CoordinatorPort & OperatorPort {
  return port !== undefined && 'ask' in port
}
