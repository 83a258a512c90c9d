import type { Context, MiddlewareHandler } from 'hono'
import type { TidegateBindings } from '../../durable-objects/bindings.ts'
import type { UploadRules } from '../config/config.ts'
import { loadConfig } from '../config/load.ts'
import { readSigningSecrets, type SecretsEnv } from '../config/secrets.ts'
import type { TidegateConfig } from '../config/user-config.ts'
import { judgeFault, reportFault } from '../gate/fault.ts'
import { Gate } from '../gate/gate.ts'
import { insteadOfRefusal } from '../gate/instead-of-refusal.ts'
import { withoutCommands } from '../gate/origin-answer.ts'
import { passRedirect } from '../gate/pass-redirect.ts'
import { FULL_ANSWER } from '../gate/quality-header.ts'
import { REASONS_PATH, reasonsPage } from '../gate/reasons-page.ts'
import type { RouteGate } from '../gate/route-gate.ts'
import type { Visit } from '../gate/visit.ts'
import { LEARNER_OPTIONS } from '../learners/option-tables.ts'
import type { Background, Runtime } from '../lib/runtime.ts'
import { bodySizeOf, type NoBody, readSmallBody } from '../origin/request-body.ts'
import type { CoordinatorPort } from '../protocol/coordinator-port.ts'
import type { PassPort } from '../protocol/pass-port.ts'
import { ADMIT, REFUSE, type Verdict } from '../protocol/verdict.ts'
import type { RequestView } from '../request/request-view.ts'
import { coloOf, durableObjectPort, regionOf } from '../transport/durable-object.ts'
import { durableObjectPasses } from '../transport/durable-object-passes.ts'
import { challenges } from './challenge.ts'
import { MiddlewareAdmin } from './middleware-admin.ts'
import { clientIpFrom, REAL_RUNTIME, SECRETS_PLACE } from './platform.ts'

/** What handlers behind the gate see of a request. */
export interface TidegateContext {
  readonly verdict: Verdict
  /** The quality of the answer that is wanted: 1 is full quality. */
  readonly quality: number
  /** Switches that are off: see `degrade.quality.switches`. */
  readonly off: readonly string[]
}

export type TidegateVariables = { verdict: Verdict; tidegate: TidegateContext }

export interface MiddlewareOptions {
  /** The coordinator to report to. Default: the Durable Objects of the app's own wrangler.toml. */
  readonly coordinator?: CoordinatorPort
  /** Where the secrets are. Default: the app's environment (`c.env`). */
  readonly env?: SecretsEnv
  /** The client's address from a source that clients cannot forge. Default: `clientIp` of the configuration. */
  readonly clientIp?: (request: Request) => string | null
  /** Clock, random numbers and timers. Default: the real ones. */
  readonly runtime?: Runtime
  /** Where passes for one use, and keys, are claimed. Default: the Durable Objects bound as `TIDEGATE_PASSES`. */
  readonly passes?: PassPort
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
  let admin: MiddlewareAdmin | null = null
  return async function tidegate(c, next) {
    const env = options.env ?? ((c.env ?? {}) as SecretsEnv)
    gate ??= new Gate(config, {
      secrets: readSigningSecrets(env, SECRETS_PLACE),
      portFor: (origin) => options.coordinator ?? objectPort(c, origin),
      cache: null,
      runtime,
      sender: crypto.randomUUID(),
      ipOf: options.clientIp ?? clientIpFrom(config.clientIp),
      passes: options.passes ?? durableObjectPasses((c.env ?? {}) as TidegateBindings),
      challengeOf: challenges(env, config, SECRETS_PLACE),
    })
    if (c.req.path === REASONS_PATH) return reasonsPage()
    admin ??= new MiddlewareAdmin(config, env, options.coordinator)
    const forOperators = admin.answer(c)
    if (forOperators !== null) return forOperators
    const entered = gate.enter(c.req.raw)
    if (entered === null) return next()
    const redirect = passRedirect(entered.view, runtime.now())
    if (redirect !== null) return redirect
    const background = backgroundOf(c)
    let visit: Visit
    try {
      const judged = await judge(entered.gate, entered.view, background)
      c.set('verdict', judged.visit.verdict)
      if (judged.own !== null) return judged.own
      visit = judged.visit
      const { value: quality, off } = visit.quality ?? FULL_ANSWER
      c.set('tidegate', { verdict: visit.verdict, quality, off })
    } catch (error) {
      // An exception in the gate follows the route's `failure` rule. Those of the handlers are not caught here.
      const refusal = judgeFault(entered.gate, entered.view, error)
      const verdict = refusal === null ? ADMIT.fault : REFUSE.fault
      c.set('verdict', verdict)
      c.set('tidegate', { verdict, quality: FULL_ANSWER.value, off: FULL_ANSWER.off })
      return refusal ?? next()
    }
    const isUpload = bodySizeOf(c.req.raw) === 'large'
    if (isUnreadSmallBody(c.req.raw)) {
      const missing = await receiveBody(c, entered.gate.route.upload, background, runtime)
      if (missing !== null) return visit.unanswered(missing, runtime.now())
    }
    const close = isUpload ? entered.gate.openUpload(entered.view) : null
    const served = serve(c, next, visit, isUpload, entered.gate).finally(() => {
      close?.()
      if (entered.gate.origin.commands.hasUnsent) entered.gate.reporter.hurry(background)
      entered.gate.reporter.ended(background, entered.gate.route, visit.classIndex)
    })
    background.waitUntil(served.catch(() => {}))
    return served
  }
}

/** Decides on a request. `own` is the answer that the gate gives by itself; null: the handlers answer. */
async function judge(
  gate: RouteGate,
  view: RequestView,
  background: Background,
): Promise<{ visit: Visit; own: Response | null }> {
  const { runtime, reporter } = gate
  reporter.touch(background, runtime.now())
  const wanted = gate.wantsNewPlan(view, runtime.now())
  const renewed = wanted === null ? null : reporter.renew(background)
  if (wanted === 'first') await renewed
  const decided = gate.decide(view, runtime.now())
  // When a client leaves, the runtime stops the JavaScript of its request, unless `waitUntil` has a promise of it.
  if (decided instanceof Promise) background.waitUntil(decided.catch(() => {}))
  const visit = await decided
  if (visit.mayGetInstead) {
    // Behind the middleware the only step before a refusal is a redirect by location.
    const instead = await insteadOfRefusal(gate, view, background)
    if (instead !== null) return { visit, own: visit.instead(instead) }
  }
  return { visit, own: visit.ownAnswer(runtime.now()) }
}

/** An earlier middleware may have read the body already. */
function isUnreadSmallBody(request: Request): boolean {
  return bodySizeOf(request) === 'small' && request.body !== null && !request.bodyUsed
}

/** Reads a small body, so that the handlers do not wait for the client. Returns why there is none. */
async function receiveBody(
  c: Context,
  rules: UploadRules,
  background: Background,
  { now }: Runtime,
): Promise<NoBody | null> {
  const { raw } = c.req
  const body = await readSmallBody(raw, { rules, background, now })
  if (typeof body === 'string') return body
  c.req.raw = new Request(raw, { body: body })
  return null
}

/**
 * Runs the handlers, and settles the request exactly once. Handlers that read a large upload wait for the client. So
 * their request counts only when it is over, and its time is no sample.
 */
async function serve(
  c: Context,
  next: () => Promise<void>,
  visit: Visit,
  isUpload: boolean,
  gate: RouteGate,
): Promise<void> {
  const { runtime } = gate
  const { signal } = c.req.raw
  const onClientGone = (): void => {
    visit.begin(runtime.now())
    visit.settle('abandoned', runtime.now())
  }
  if (!isUpload) visit.begin(runtime.now())
  signal.addEventListener('abort', onClientGone)
  try {
    await next()
    visit.begin(runtime.now())
    visit.received(c.res, runtime.now(), !isUpload)
    // Hono passes a thrown error to onError and next() resolves; c.error has the error.
    visit.settle(c.error || c.res.status >= 500 ? 'failed' : 'served')
  } finally {
    signal.removeEventListener('abort', onClientGone)
    // Hono does not catch a thrown value that is not an Error.
    visit.begin(runtime.now())
    visit.settle('failed')
  }
  const answer = answerOf(c.res, visit, gate)
  if (answer !== c.res) {
    c.res = undefined // Hono would copy the old headers over the new ones.
    c.res = answer
  }
}

/** Where the gate fails at its own part of an answer, the visitor gets that of the handlers. */
function answerOf(response: Response, visit: Visit, gate: RouteGate): Response {
  try {
    return visit.withGateHeaders(response, gate.runtime.now())
  } catch (error) {
    reportFault(gate, error)
    return withoutCommands(response)
  }
}

function objectPort(c: Context, origin: string): CoordinatorPort {
  return durableObjectPort(
    c.env as TidegateBindings,
    origin,
    coloOf(c.req.raw),
    regionOf(c.req.raw),
  )
}

/** Node has no execution context: there promises run to their end anyway. */
function backgroundOf(c: Context): Background {
  try {
    return c.executionCtx
  } catch {
    return { waitUntil: (work) => void work.catch(() => {}) }
  }
}
