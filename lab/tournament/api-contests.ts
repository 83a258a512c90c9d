import { poisson } from '../clients/arrivals.ts'
import { ramp, steps } from '../clients/profiles.ts'
import { rateTrace } from '../clients/trace.ts'
import { leak, pauses } from '../origins/changes.ts'
import { bestLoadsOf, clairvoyantOf } from './best-load-table.ts'
import { BLACK_FRIDAY } from './black-friday.ts'
import type { Demand } from './class-clairvoyant.ts'
import { type Contest, ONE_ISOLATE, SOME_ISOLATES } from './scenario.ts'
import { api, apiLoadTest } from './systems.ts'
import {
  BURSTY,
  LEAKING,
  ORDERS_SURGE,
  THRASHING,
  TIERED,
  VALUED,
  VALUED_SURGE,
  WASTEFUL,
} from './variants.ts'

/** Eight servers of 40 ms each take 200 requests per second. */
const API = { loadTest: apiLoadTest(), edge: ONE_ISOLATE } as const

const clairvoyant = (name: string, demand?: Demand) =>
  clairvoyantOf('request', bestLoadsOf(name), demand)

/** Single requests: the load of an admission ends within moments. */
export const API_CONTESTS: readonly Contest[] = [
  {
    ...API,
    name: 'api-steady',
    text: 'One and a half times the capacity, with exponential service, first come, first served.',
    plant: api({ arrivals: poisson(steps({ 0: 300 })) }),
    clairvoyant: clairvoyant('api-steady'),
    kind: 'steady',
    measureFromSeconds: 60,
    seconds: 360,
  },
  {
    ...API,
    name: 'api-surge-10x',
    text: 'The load rises to ten times from one second to the next, without any earlier overload.',
    plant: api({ arrivals: poisson(steps({ 0: 100, 120: 1000 })) }),
    clairvoyant: clairvoyant('api-surge-10x'),
    kind: 'onset',
    measureFromSeconds: 120,
    seconds: 360,
  },
  {
    ...API,
    name: 'api-bursts',
    text: 'Bursts of 500 requests/s with a mean length of 15 s; Pareto service under processor sharing.',
    plant: api(BURSTY),
    clairvoyant: clairvoyant('api-bursts'),
    kind: 'varying',
    measureFromSeconds: 60,
    seconds: 480,
  },
  {
    ...API,
    name: 'api-leak',
    text: 'The origin slowly loses half of its speed within five minutes.',
    plant: api({
      ...LEAKING,
      changes: leak({ fromMs: 120_000, toMs: 420_000, left: 0.5 }),
    }),
    clairvoyant: clairvoyant('api-leak'),
    kind: 'varying',
    measureFromSeconds: 120,
    seconds: 540,
  },
  {
    ...API,
    name: 'api-pauses',
    text: 'The origin pauses for one second every half minute, at one and a half times the capacity.',
    plant: api({
      arrivals: poisson(steps({ 0: 300 })),
      changes: pauses({ fromMs: 40_000, toMs: 420_000, everyMs: 30_000, lengthMs: 1000 }),
    }),
    clairvoyant: clairvoyant('api-pauses'),
    kind: 'varying',
    measureFromSeconds: 60,
    seconds: 420,
  },
  {
    ...API,
    name: 'api-thrash',
    text: 'A ramp to twice the capacity of an origin that thrashes with too many requests inside.',
    plant: api({
      ...THRASHING,
      arrivals: poisson(ramp({ from: 120, to: 400, startMs: 60_000, endMs: 240_000 })),
    }),
    clairvoyant: clairvoyant('api-thrash'),
    kind: 'varying',
    measureFromSeconds: 60,
    seconds: 420,
  },
  {
    ...API,
    name: 'api-timeouts',
    text: 'Three times the load; clients give up after a second and send again, and the origin still does the abandoned work.',
    plant: api({ ...WASTEFUL, arrivals: poisson(steps({ 0: 120, 120: 360 })) }),
    clairvoyant: clairvoyant('api-timeouts'),
    kind: 'onset',
    measureFromSeconds: 120,
    seconds: 420,
  },
  {
    ...API,
    name: 'api-tiers',
    text: 'Pages and orders share a database; orders pass one more tier and are worth four pages.',
    plant: api({ ...TIERED, arrivals: poisson(ORDERS_SURGE.arrivals) }),
    loadTest: { saturationRate: ORDERS_SURGE.saturationRate, sessionMs: 0 },
    clairvoyant: clairvoyant('api-tiers', ORDERS_SURGE),
    kind: 'onset',
    measureFromSeconds: 120,
    seconds: 420,
  },
  {
    ...API,
    name: 'api-classes',
    text: 'Gold, silver and bronze with values 10, 3 and 1; the load of each rises to four times at once.',
    plant: api({ ...VALUED, arrivals: poisson(VALUED_SURGE.arrivals) }),
    edge: SOME_ISOLATES,
    clairvoyant: clairvoyant('api-classes', VALUED_SURGE),
    kind: 'onset',
    measureFromSeconds: 120,
    seconds: 420,
  },
  {
    ...API,
    name: 'black-friday',
    text: 'A rate trace of a sale, eight minutes long; four more servers are announced at the worst moment.',
    plant: api({
      arrivals: poisson(rateTrace(BLACK_FRIDAY)),
      changes: [{ atMs: 240_000, servers: 12, announced: true }],
    }),
    edge: SOME_ISOLATES,
    clairvoyant: clairvoyant('black-friday'),
    kind: 'varying',
    measureFromSeconds: 30,
    seconds: 480,
  },
]
