import type { Context, MiddlewareHandler } from 'hono'
import type { TidegateBindings } from '../../durable-objects/bindings.ts'
import { loadConfig } from '../config/load.ts'
import { readSigningSecrets, type SecretsEnv } from '../config/secrets.ts'
import type { TidegateConfig } from '../config/user-config.ts'
import { Gate } from '../gate/gate.ts'
import { REASONS_PATH, reasonsPage } from '../gate/reasons-page.ts'
import type { Visit } from '../gate/visit.ts'
import { LEARNER_OPTIONS } from '../learners/option-tables.ts'
import type { Background, Runtime } from '../lib/runtime.ts'
import type { CoordinatorPort } from '../protocol/coordinator-port.ts'
import type { Verdict } from '../protocol/verdict.ts'
import { coloOf, durableObjectPort } from '../transport/durable-object.ts'
import { clientIpFrom, REAL_RUNTIME } from './platform.ts'

export type TidegateVariables = { verdict: Verdict }

export interface MiddlewareOptions {
  /** The coordinator to report to. Default: the Durable Objects of the app's own wrangler.toml. */
  readonly coordinator?: CoordinatorPort
  /** Where the secrets are. Default: the app's environment (`c.env`). */
  readonly env?: SecretsEnv
  /** The client's address from a source that clients cannot forge. Default: `clientIp` of the configuration. */
  readonly clientIp?: (request: Request) => string | null
  /** Clock, random numbers and timers. Default: the real ones. */
  readonly runtime?: Runtime
}

/**
 * Admission control in front of the handlers that follow: they are the origin.
 *
 * @example
 * app.use(tidegate({ routes: [{ match: '/shop/*' }] }))
 */
export const tidegate = (
  input: TidegateConfig,
  options: MiddlewareOptions = {},
): MiddlewareHandler<{ Variables: TidegateVariables }> => {
  const config = loadConfig(input, { origin: 'optional', learners: LEARNER_OPTIONS })
  const { runtime = REAL_RUNTIME } = options
  let gate: Gate | null = null
  return async function tidegate(c, next) {
    gate ??= new Gate(config, {
      secrets: readSigningSecrets(options.env ?? (c.env as SecretsEnv)),
      portFor: (origin) => options.coordinator ?? objectPort(c, origin),
      cache: null,
      runtime,
      sender: crypto.randomUUID(),
      ipOf: options.clientIp ?? clientIpFrom(config.clientIp),
    })
    if (c.req.path === REASONS_PATH) return reasonsPage()
    const entered = gate.enter(c.req.raw)
    if (entered === null) return next()
    const background = backgroundOf(c)
    entered.gate.reporter.touch(background, runtime.now())
    const decided = entered.gate.decide(entered.view, runtime.now())
    // When a client leaves, the runtime stops the JavaScript of its request, unless `waitUntil` has a promise of it.
    if (decided instanceof Promise) background.waitUntil(decided)
    const visit = await decided
    c.set('verdict', visit.verdict)
    if (visit.isRefused) return visit.refusal(runtime.now())
    const served = serve(c, next, visit, runtime)
    background.waitUntil(served.catch(() => {}))
    return served
  }
}

/** Runs the handlers, and settles the request exactly once. */
async function serve(
  c: Context,
  next: () => Promise<void>,
  visit: Visit,
  runtime: Runtime,
): Promise<void> {
  const { signal } = c.req.raw
  const onClientGone = (): void => visit.settle('abandoned')
  visit.begin(runtime.now())
  signal.addEventListener('abort', onClientGone)
  try {
    await next()
    visit.received(c.res, runtime.now())
    // Hono passes a thrown error to onError and next() resolves; c.error has the error.
    visit.settle(c.error || c.res.status >= 500 ? 'failed' : 'served')
  } finally {
    signal.removeEventListener('abort', onClientGone)
    // Hono does not catch a thrown value that is not an Error.
    visit.settle('failed')
  }
  const answer = visit.withGateHeaders(c.res, runtime.now())
  if (answer !== c.res) {
    c.res = undefined // Hono would copy the old headers over the new ones.
    c.res = answer
  }
}

function objectPort(c: Context, origin: string): CoordinatorPort {
  return durableObjectPort(c.env as TidegateBindings, origin, coloOf(c.req.raw))
}

/** Node has no execution context: there promises run to their end anyway. */
function backgroundOf(c: Context): Background {
  try {
    return c.executionCtx
  } catch {
    return { waitUntil: (work) => void work.catch(() => {}) }
  }
}
