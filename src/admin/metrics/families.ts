import { MODES } from '../../config/config.ts'
import type { TierAnswer } from '../../coordinator/capacity/answer.ts'
import type { OriginSnapshot, RouteLevels } from '../../coordinator/operator/snapshot.ts'
import type { ClassFeedback } from '../../protocol/feedback.ts'
import type { MetricSample } from './metric-sample.ts'
import { responseTimeSamples } from './response-times.ts'

export interface MetricFamily {
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  samples(snapshot: OriginSnapshot): readonly MetricSample[]
}

const routeTargets = perRoute(({ targetMs }) => targetMs / 1000)
const classTargets = perLevel(
  ({ classTargetsMs = {} }) =>
    Object.fromEntries(Object.entries(classTargetsMs).map(([name, ms]) => [name, ms / 1000])),
  'class',
)

/** All metrics. Labels have the names of the configuration and closed sets of words, so their number is bounded. */
export const FAMILIES: readonly MetricFamily[] = [
  {
    name: 'tidegate_requests_total',
    type: 'counter',
    help: 'Requests by verdict and reason. In mode observe a refuse is let in all the same.',
    samples: perClass(({ admits, refusals, queued = {}, degrades = {}, redirects = {} }) => [
      ...byReason('admit', admits),
      ...byReason('refuse', refusals),
      ...byReason('queue', queued),
      ...byReason('degrade', degrades),
      ...byReason('redirect', redirects),
    ]),
  },
  {
    name: 'tidegate_observed_refusals_total',
    type: 'counter',
    help: 'Let in although the verdict was to refuse, because the mode was observe.',
    samples: perClass(({ wouldRefuse }) => [{ labels: {}, value: wouldRefuse }]),
  },
  {
    name: 'tidegate_offered_total',
    type: 'counter',
    help: 'Asked for a decision: new sessions on session routes, else requests. A visitor who waits counts once.',
    samples: perClass(({ offered }) => [{ labels: {}, value: offered }]),
  },
  {
    name: 'tidegate_admitted_total',
    type: 'counter',
    help: 'Let in, at once or after a wait.',
    samples: perClass(({ admitted }) => [{ labels: {}, value: admitted }]),
  },
  {
    name: 'tidegate_origin_requests_total',
    type: 'counter',
    help: 'Requests sent to the origin, by how they ended.',
    samples: perClass(({ served, failed, abandoned }) =>
      Object.entries({ served, failed, abandoned }).map(([outcome, value]) => ({
        labels: { outcome },
        value,
      })),
    ),
  },
  {
    name: 'tidegate_late_total',
    type: 'counter',
    help: 'Requests that were served over the target, or failed.',
    samples: perClass(({ late }) => [{ labels: {}, value: late }]),
  },
  {
    name: 'tidegate_response_seconds',
    type: 'histogram',
    help: 'Time until the headers of the origin, of the served requests.',
    samples: perClass(responseTimeSamples),
  },
  {
    name: 'tidegate_in_flight',
    type: 'gauge',
    help: 'Requests at the origin.',
    samples: perLevel(({ inFlight }) => inFlight, 'class'),
  },
  {
    name: 'tidegate_probability',
    type: 'gauge',
    help: 'Part of the draws that is admitted.',
    samples: perLevel(({ probability }) => probability, 'class'),
  },
  {
    name: 'tidegate_waiting',
    type: 'gauge',
    help: 'People in the waiting room.',
    samples: perLevel(({ waiting }) => waiting, 'class'),
  },
  {
    name: 'tidegate_estimates_total',
    type: 'counter',
    help: 'Entries from the waiting room: before, within or after the time that was promised first.',
    samples: perClass(({ promiseEarly, promiseKept, promiseLate }) =>
      Object.entries({ early: promiseEarly, kept: promiseKept, late: promiseLate }).map(
        ([result, value]) => ({ labels: { result }, value }),
      ),
    ),
  },
  {
    name: 'tidegate_limit',
    type: 'gauge',
    help: 'Limit per second, in the granularity of the route. +Inf: no limit.',
    samples: perRoute(({ limit }) => limit ?? Number.POSITIVE_INFINITY),
  },
  {
    name: 'tidegate_goodput',
    type: 'gauge',
    help: 'Requests served per second in the newest tick.',
    samples: perRoute(({ goodput }) => goodput),
  },
  {
    name: 'tidegate_target_seconds',
    type: 'gauge',
    help: 'Target for response times in force. With a class: that of a class with an SLA of its own.',
    samples: (snapshot) => [...routeTargets(snapshot), ...classTargets(snapshot)],
  },
  {
    name: 'tidegate_mode',
    type: 'gauge',
    help: '1 for the mode in force, 0 for the others.',
    samples: perLevel(
      ({ mode }) => Object.fromEntries(MODES.map((one) => [one, one === mode ? 1 : 0])),
      'mode',
    ),
  },
  {
    name: 'tidegate_overrides',
    type: 'gauge',
    help: 'Settings of operators that hold instead of the configured ones.',
    samples: perRoute(({ overrides }) => overrides),
  },
  {
    name: 'tidegate_overcommitted',
    type: 'gauge',
    help: '1 if the guarantees use up the whole limit.',
    samples: perOrigin(({ isOvercommitted }) => (isOvercommitted ? 1 : 0)),
  },
  {
    name: 'tidegate_plan_age_seconds',
    type: 'gauge',
    help: 'Age of the newest plan. It grows while no reports come.',
    samples: perOrigin(({ planAgeMs }) => planAgeMs / 1000),
  },
  {
    name: 'tidegate_data_centres',
    type: 'gauge',
    help: 'Data centres that have reported within the last 30 s.',
    samples: perOrigin(({ dataCentres }) => dataCentres),
  },
  {
    name: 'tidegate_server_up',
    type: 'gauge',
    help: '1 if the server of the pool answers.',
    samples: ({ origin, servers }) =>
      servers.map(({ url, isDown }) => ({
        labels: { origin, server: url },
        value: isDown ? 0 : 1,
      })),
  },
  {
    name: 'tidegate_capacity_desired',
    type: 'gauge',
    help: 'Servers that the tier of the origin needs.',
    samples: perTier(({ desired }) => desired),
  },
  {
    name: 'tidegate_capacity_current',
    type: 'gauge',
    help: 'Servers that the tier of the origin has, as far as is known.',
    samples: perTier(({ current }) => current),
  },
  {
    name: 'tidegate_capacity_planned_rate',
    type: 'gauge',
    help: 'Arrivals per second for which the servers are planned.',
    samples: ({ origin, capacity }) =>
      capacity === null ? [] : [{ labels: { origin }, value: capacity.plannedRate }],
  },
  {
    name: 'tidegate_reports_total',
    type: 'counter',
    help: 'Reports of data centres: taken, dropped as repeated, refused as invalid.',
    samples: ({ origin, reports }) =>
      Object.entries(reports).map(([result, value]) => ({ labels: { origin, result }, value })),
  },
]

type Samples = MetricFamily['samples']

function perClass(samplesOf: (feedback: ClassFeedback) => readonly MetricSample[]): Samples {
  return ({ totals }) =>
    Object.entries(totals).flatMap(([route, { classes }]) =>
      Object.entries(classes).flatMap(([name, feedback]) =>
        samplesOf(feedback).map((sample) => ({
          ...sample,
          labels: { route, class: name, ...sample.labels },
        })),
      ),
    )
}

function byReason(
  verdict: string,
  counts: Readonly<Record<string, number>>,
): readonly MetricSample[] {
  return Object.entries(counts).map(([reason, value]) => ({ labels: { verdict, reason }, value }))
}

function perRoute(numberOf: (levels: RouteLevels) => number): Samples {
  return ({ routes }) =>
    routes.map((levels) => ({ labels: { route: levels.name }, value: numberOf(levels) }))
}

/** One sample for each entry of a record, with its key as a label. */
function perLevel(
  valuesOf: (levels: RouteLevels) => Readonly<Record<string, number>>,
  label: string,
): Samples {
  return ({ routes }) =>
    routes.flatMap((levels) =>
      Object.entries(valuesOf(levels)).map(([key, value]) => ({
        labels: { route: levels.name, [label]: key },
        value,
      })),
    )
}

function perOrigin(numberOf: (snapshot: OriginSnapshot) => number): Samples {
  return (snapshot) => [{ labels: { origin: snapshot.origin }, value: numberOf(snapshot) }]
}

function perTier(numberOf: (tier: TierAnswer) => number): Samples {
  return ({ origin, capacity }) =>
    Object.entries(capacity?.tiers ?? {}).map(([tier, answer]) => ({
      labels: { origin, tier },
      value: numberOf(answer),
    }))
}
