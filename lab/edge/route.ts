import type {
  FailureRule,
  LearnerChoice,
  Route,
  StartupRule,
  WhenFullStep,
} from '../../src/config/config.ts'
import { DEFAULTS } from '../../src/config/defaults.ts'
import { ROUTE } from '../gate/plant.ts'
import type { Setting } from '../gate/policy.ts'

/** What a user writes in the route's configuration. */
export interface EdgeRules {
  readonly learner: LearnerChoice
  /** @default 'admit' */
  readonly startup?: StartupRule
  /** @default the product's own */
  readonly failure?: FailureRule
  /** false: fairness between clients is off. @default the product's own */
  readonly fairness?: false
  /** @default it refuses */
  readonly whenFull?: readonly WhenFullStep[]
}

/** The configuration of the plant's route, with the product's defaults for everything else. */
export function routeOf(setting: Setting, rules: EdgeRules): Route {
  const { granularity, tickMs, sla, classes, tiers } = setting
  return {
    name: ROUTE,
    match: { host: '*', path: '/*' },
    origin: { ...DEFAULTS.origin, name: ROUTE, servers: [], keepHeaders: [], healthCheck: null },
    sla: {
      percentile: sla.percentile,
      targets: [{ fromRate: 0, targetMs: sla.targetMs }],
      windowMs: sla.windowMs,
    },
    classes: classes.flatMap(({ name, value, guaranteed = 0 }) =>
      tiers.map((tier, i) => ({
        name: tiers.length === 1 ? name : `${name}-${tier}`,
        value,
        // Draws are made in the class of the first tier, so the guarantee belongs there.
        guaranteed: i === 0 ? guaranteed : 0,
        tier,
        match: {},
      })),
    ),
    granularity,
    session: { ...DEFAULTS.session, cookie: 'lab' },
    learner: rules.learner,
    tickMs,
    mode: 'enforce',
    startup: rules.startup ?? 'admit',
    failure: rules.failure ?? DEFAULTS.failure,
    whenFull: rules.whenFull ?? ['refuse'],
    degrade: null,
    redirect: null,
    waitingRoom: { ...DEFAULTS.waitingRoom, page: null, texts: {}, events: [], turnstile: null },
    refusal: { ...DEFAULTS.refusal, page: null, soldOutPage: null, allowOrigins: [] },
    bypass: [],
    verdictHeader: false,
    serverTiming: false,
    capacity: null,
    order: DEFAULTS.order,
    police: DEFAULTS.police,
    smallFirst: DEFAULTS.smallFirst,
    fairness: rules.fairness === false ? null : DEFAULTS.fairness,
    upload: DEFAULTS.upload,
  }
}
