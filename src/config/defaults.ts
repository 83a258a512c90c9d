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
  origin: {
    timeoutMs: 30_000,
    weight: 1,
    purge: false,
    balance: 'weighted',
    affinity: false,
    slowStartMs: 10_000,
    healthEveryMs: 10_000,
  },
  sla: { percentile: 95, targetMs: 1_000, windowMs: 300_000 },
  class: { value: 1, guaranteed: 0, tier: 'default' },
  granularity: 'session',
  session: {
    idleMs: 1_800_000,
    maxAgeMs: 28_800_000,
    cookiePrefix: 'tidegate-',
    sameSite: 'lax',
    keepObserved: false,
    maxRate: 20,
    maxRangeRate: 0,
  },
  learner: DEFAULT_LEARNER,
  tickMs: 1_000,
  mode: 'enforce',
  startup: 'cached',
  failure: 'local',
  /** By the route's granularity. */
  whenFull: { session: ['queue'], request: ['refuse'] },
  event: { preQueueMs: 900_000 },
  waitingRoom: { order: 'fifo', keepPlaceMs: 600_000, status: 503, cfWaitingRoom: false },
  turnstile: {
    whenDown: 'place',
    timeoutMs: 2000,
    url: 'https://challenges.cloudflare.com/turnstile/v0',
  },
  refusal: { status: 503, retryMinS: 5, retryMaxS: 15 },
  degrade: { quality: { min: 0.25, steps: 5 }, storedMs: 600_000 },
  redirect: { forward: false },
  verdictHeader: false,
  serverTiming: false,
  capacity: {
    tier: 'app',
    min: 1,
    max: 1000,
    workers: 1,
    concurrencyOf: 'requests',
    startupS: 120,
    predict: { percentile: 95, correctionHours: 3 },
    react: {
      everyS: 300,
      above: 1.2,
      refused: 0.05,
      below: 0.5,
      step: 'model',
      maxStep: 10,
      pauseS: 120,
    },
  },
  order: 'value',
  police: 'threshold',
  smallFirst: false,
  fairness: { by: 'range', maxShare: 0.25, minAdmissions: 5 },
  // Apache's defaults (RequestReadTimeout, `body=20,MinRate=500`); the first 20 s are in origin/upload-pace.ts.
  upload: { minBytesPerS: 500, maxMs: 900_000, maxOpen: 100 },
} as const
