import type { Context, MiddlewareHandler } from 'hono'
import type { TidegateBindings } from '../../durable-objects/bindings.ts'
import { coloOf } from '../admin/app.ts'
import { loadConfig } from '../config/load.ts'
import { readSigningSecrets, type SecretsEnv } from '../config/secrets.ts'
import type { TidegateConfig } from '../config/user-config.ts'
import { Gate, type Judgement, type RouteGate } from '../gate/gate.ts'
import { LEARNER_OPTIONS } from '../learners/option-tables.ts'
import type { Background, Runtime } from '../lib/runtime.ts'
import type { RequestRecord } from '../measure/request-record.ts'
import { countsAsSample } from '../origin/forwarded-headers.ts'
import type { CoordinatorPort } from '../protocol/coordinator-port.ts'
import type { Verdict } from '../protocol/verdict.ts'
import type { UrlParts } from '../request/url.ts'
import { durableObjectPort } from '../transport/durable-object.ts'
import { cloudflareIp, REAL_RUNTIME } from './stand-alone.ts'

export type TidegateVariables = { verdict: Verdict }

export interface MiddlewareOptions {
  /** Who decides how much. Default: the Durable Objects of the app's own wrangler.toml. */
  readonly coordinator?: CoordinatorPort
  /** Where the secrets are. Default: the app's environment (`c.env`). */
  readonly env?: SecretsEnv
  /** The client's address as the platform vouches for it. Default: Cloudflare's own header. */
  readonly clientIp?: (request: Request) => string | null
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
  const runtime = options.runtime ?? REAL_RUNTIME
  let gate: Gate | null = null
  return async function tidegate(c, next) {
    gate ??= new Gate(config, {
      secrets: readSigningSecrets(options.env ?? (c.env as SecretsEnv)),
      portFor: (origin) => options.coordinator ?? objectPort(c, origin),
      cache: null,
      runtime,
      sender: crypto.randomUUID(),
      ipOf: options.clientIp ?? cloudflareIp,
    })
    const entered = gate.enter(c.req.raw)
    if (entered === null) return next()
    const { gate: route, subject } = entered
    const background = backgroundOf(c)
    const nowMs = runtime.now()
    route.link.touch(background, nowMs)
    const judged = route.police(subject, nowMs, background)
    const judgement = judged instanceof Promise ? await judged : judged
    c.set('verdict', judgement.verdict)
    if (route.isRefused(judgement)) return route.refuse(c.req.raw, judgement)
    await serve(c, next, route, subject.url, judgement, background)
  }
}

/** Runs the handlers, and settles what was admitted exactly once. */
async function serve(
  c: Context,
  next: () => Promise<void>,
  gate: RouteGate,
  url: UrlParts,
  judgement: Judgement,
  background: Background,
): Promise<void> {
  const { runtime } = gate
  const ticket = gate.open(judgement, runtime.now())
  if (ticket !== null) gate.link.open.addLasting(ticket)
  const settled = Promise.withResolvers<void>()
  background.waitUntil(settled.promise)
  const settle = (outcome: 'served' | 'failed' | 'abandoned'): void => {
    settleOnce(gate, ticket, outcome)
    settled.resolve()
  }
  const onClientGone = (): void => settle('abandoned')
  c.req.raw.signal.addEventListener('abort', onClientGone)
  try {
    await next()
    ticket?.headers(runtime.now(), countsAsSample(c.res.headers, c.res.status))
    gate.answered(url.path, ticket, c.res)
    // Hono gives a thrown error to onError and next() resolves all the same: c.error tells.
    settle(c.error || c.res.status >= 500 ? 'failed' : 'served')
  } finally {
    c.req.raw.signal.removeEventListener('abort', onClientGone)
    // Hono lets through what was thrown and is no Error.
    settle('failed')
  }
  const cookie = gate.cookieFor(url, judgement, runtime.now())
  const dressed = gate.dress(c.res, judgement, cookie)
  if (dressed !== c.res) {
    c.res = undefined // Hono would copy the old headers over the new ones.
    c.res = dressed
  }
}

function settleOnce(
  gate: RouteGate,
  ticket: RequestRecord | null,
  outcome: 'served' | 'failed' | 'abandoned',
) {
  if (ticket === null || ticket.isSettled) return
  ticket.settle(outcome)
  gate.link.open.deleteLasting(ticket)
}

function objectPort(c: Context, origin: string): CoordinatorPort {
  return durableObjectPort(c.env as TidegateBindings, origin, coloOf(c.req.raw))
}

/** Node has no execution context: there a promise lives by itself. */
function backgroundOf(c: Context): Background {
  try {
    return c.executionCtx
  } catch {
    return { waitUntil: (work) => void work.catch(() => {}) }
  }
}
