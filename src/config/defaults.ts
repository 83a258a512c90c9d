/** Every default of the configuration, in one table. */

/** The learner of a route that names none. */
export const DEFAULT_LEARNER = 'soc-lqr'

/** The class of requests that match no other class. */
export const DEFAULT_CLASS = 'default'

/** The origin name of routes without an origin: behind the middleware the app's handlers are the origin. */
export const APP_ORIGIN = 'app'

export const DEFAULTS = {
  match: { host: '*', path: '/*' },
  clientIp: 'cloudflare',
  origin: { timeoutMs: 30_000, weight: 1, purge: false },
  sla: { percentile: 95, targetMs: 1_000, windowMs: 300_000 },
  class: { value: 1, guaranteed: 0, tier: 'default' },
  granularity: 'session',
  session: {
    idleMs: 1_800_000,
    maxAgeMs: 28_800_000,
    cookiePrefix: 'tidegate-',
    sameSite: 'lax',
    keepObserved: false,
  },
  learner: DEFAULT_LEARNER,
  tickMs: 1_000,
  mode: 'enforce',
  startup: 'cached',
  failure: 'local',
  refusal: { status: 503, retryMinS: 5, retryMaxS: 15 },
  verdictHeader: false,
  order: 'value',
  police: 'threshold',
  smallFirst: false,
  fairness: { by: 'range', maxShare: 0.25, minAdmissions: 5 },
} as const
