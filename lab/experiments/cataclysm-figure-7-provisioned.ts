import type { Sla } from '../../src/config/config.ts'
import { Predictor } from '../../src/coordinator/capacity/predictor.ts'
import { poisson } from '../clients/arrivals.ts'
import { steps } from '../clients/profiles.ts'
import { Agenda } from '../engine/agenda.ts'
import { around } from '../engine/distributions.ts'
import { HostedSite, type SiteTick } from '../provisioning/hosted-site.ts'
import { curvesOf, p95Of, rateOf } from '../provisioning/measures.ts'
import { Planned, START_MS } from '../provisioning/planned.ts'
import { SERVER_RATE } from './cataclysm-site.ts'
import type { Experiment, Measurement } from './experiment.ts'
import { rulesOf } from './provisioning-site.ts'
import type { Run, Runs } from './runs.ts'
import { percent } from './words.ts'

/** Five times as fast as in the paper: the rate doubles each minute. Then the second application is overloaded. */
const RATES = {
  first: { 0: 100, 60: 200, 120: 400, 180: 800, 240: 1600, 420: 100 },
  second: { 0: 100, 780: 200, 840: 400, 900: 800, 960: 1600 },
} as const
const END_S = 1140
const SERVERS = 11
const MINIMUM = 3
/** The control plane's regular run: 30 min in the paper. */
const REGULAR_S = 360
/** Table 1. */
const SLA: Sla = {
  percentile: 95,
  windowMs: 30_000,
  targets: [
    { fromRate: 0, targetMs: 1000 },
    { fromRate: 1000, targetMs: 2000 },
    { fromRate: 10_000, targetMs: 3000 },
  ],
}
const OCCASION_S = 5

/** Δ = 1, δ = 1 min (5 min in the paper), and more than half of the requests dropped. */
const REACT = { everyS: 30, pauseS: 60, refused: 0.5, above: 100, below: 0.3, maxStep: 1 }

interface App {
  readonly site: HostedSite
  readonly control: Planned
}

/** The days before had 100 requests/s. */
function quietPredictor(): Predictor {
  const predictor = new Predictor({ hourMs: REGULAR_S * 1000, hoursPerDay: 4, correctionHours: 1 })
  for (let hour = 1; hour <= 16; hour++) predictor.observe(100, START_MS - hour * REGULAR_S * 1000)
  return predictor
}

function run(seed: number): Readonly<Record<keyof typeof RATES, App>> {
  const agenda = new Agenda()
  const apps = {} as Record<keyof typeof RATES, App>
  for (const [i, name] of (['first', 'second'] as const).entries()) {
    const other = name === 'first' ? 'second' : 'first'
    const rules = rulesOf([{ name: 'web', servers: MINIMUM, max: SERVERS }], REACT, {
      ...{ name: 'all', servers: SERVERS, origins: ['first', 'second'] },
    })
    const control = new Planned({
      ...{ name, sla: SLA, requestsPerSession: 1, polices: 'servers', predictor: quietPredictor() },
      rules: {
        ...rules,
        startupS: 1,
        tiers: rules.tiers.map((tier) => ({
          ...tier,
          min: MINIMUM,
          serviceMs: 1000 / SERVER_RATE,
        })),
      },
      others: () => {
        const claim = apps[other]?.control.planner.claim() ?? null
        return claim === null ? [] : [claim]
      },
    })
    const site = new HostedSite(agenda, {
      tiers: [
        {
          ...{ name: 'web', servers: MINIMUM },
          service: around({ mean: 1000 / SERVER_RATE, spread: 0.03 }),
        },
      ],
      arrivals: poisson(steps(RATES[name])),
      ...{ sessionRequests: 1, thinkMs: 0, startupMs: 1000, control, seed: seed + 1000 * i, name },
    })
    apps[name] = { site, control }
  }
  agenda.runUntil(END_S * 1000)
  return apps
}

/** The part of the occasions with a 95th percentile over the target that was in force. */
function violatedOf({ site, control }: App): number {
  const parts: (readonly SiteTick[])[] = []
  for (let i = 0; i < site.log.length; i += OCCASION_S)
    parts.push(site.log.slice(i, i + OCCASION_S))
  return (
    parts.filter((part) => p95Of(part) > (control.targetsMs[part[0]!.nowMs / 1000] ?? 1000))
      .length / parts.length
  )
}

const serversAt = ({ site }: App, second: number): number => site.log[second - 1]!.servers.web!

const theRun = (runs: Runs): Run => runs.one({ policy: 'arbitration' })

const shown = (runs: Runs, value: string): string =>
  String(Number(theRun(runs).mean(value).toFixed(1)))

/** (Urgaonkar and Shenoy 2005, §6.5): two applications, eleven servers, and a control plane. */
export const cataclysmFigure7Provisioned: Experiment = {
  name: 'cataclysm-7-provisioned',
  paper: 'cataclysm',
  figure: 'Fig. 7',
  title:
    'Two applications share eleven servers; each is overloaded in turn, and the target has a second row',
  seeds: { full: 5, short: 1 },
  points: () => [{}],
  policies: () => ['arbitration'],
  async run(_point, _policy, seed): Promise<Measurement> {
    const apps = run(seed)
    const { first, second } = apps
    const sums = first.site.log.map(
      (tick, i) => tick.servers.web! + second.site.log[i]!.servers.web!,
    )
    return {
      values: {
        at170: serversAt(first, 170),
        at290: serversAt(first, 290),
        at400: serversAt(first, 400),
        secondAt400: serversAt(second, 400),
        secondAt1130: serversAt(second, 1130),
        most: Math.max(...sums),
        targetMs: first.control.targetsMs[400]!,
        violated: Math.max(violatedOf(first), violatedOf(second)),
        each: rateOf(first.site.log.slice(375, 415), 'admitted') / serversAt(first, 400),
      },
      curves: curvesOf(first.site.log),
    }
  },
  claims: [
    {
      text: 'When more than half is dropped, one server after another is pulled from the free pool: 3, then 4, then 5 or 6',
      holds: (runs) => {
        const [early, late] = [theRun(runs).mean('at170'), theRun(runs).mean('at290')]
        return early >= 3 && early <= 4 && late > early && late <= 6
      },
      found: (runs) => `${shown(runs, 'at170')} at 170 s, ${shown(runs, 'at290')} at 290 s`,
    },
    {
      text: 'The regular run gives all remaining servers to the overloaded application (8 and 3), and its target becomes 2 s',
      holds: (runs) =>
        theRun(runs).mean('at400') === 8 &&
        theRun(runs).mean('secondAt400') === MINIMUM &&
        theRun(runs).mean('targetMs') === 2000,
      found: (runs) =>
        `${shown(runs, 'at400')} and ${shown(runs, 'secondAt400')} servers, target ${shown(runs, 'targetMs')} ms`,
    },
    {
      text: 'Later the second application is overloaded, and gets the servers instead',
      holds: (runs) => theRun(runs).mean('secondAt1130') > 6,
      found: (runs) => `${shown(runs, 'secondAt1130')} servers at 1130 s`,
    },
    {
      text: 'Response times are within the target in force, with violations in fewer than 4 % of the intervals of 5 s',
      holds: (runs) => theRun(runs).mean('violated') < 0.04,
      found: (runs) =>
        `${percent(theRun(runs).mean('violated'))}, with ${shown(runs, 'each')} requests/s admitted for each server`,
    },
    {
      text: 'Both together never have more than eleven servers',
      holds: (runs) => theRun(runs).mean('most') <= SERVERS,
      found: (runs) => `at most ${shown(runs, 'most')}`,
    },
  ],
  plots: [
    {
      title: 'Servers of the first application',
      x: 'time, s',
      y: 'servers',
      show: { curve: 'servers' },
    },
    { title: 'Requests served', x: 'time, s', y: 'requests/s', show: { curve: 'served' } },
    {
      ...{ title: '95th percentile', x: 'time, s', y: 'ms', show: { curve: 'p95Ms' } },
      ...{ mark: 1000, logarithmic: true },
    },
  ],
}
