import { poisson } from '../clients/arrivals.ts'
import { dailyCycle, steps } from '../clients/profiles.ts'
import { bestLoadsOf, clairvoyantOf } from './best-load-table.ts'
import { type Contest, MANY_ISOLATES, ONE_ISOLATE, SOME_ISOLATES } from './scenario.ts'
import { shop, shopLoadTest } from './systems.ts'
import { FLASH_CROWD, HEAVY, MEASURED, MEMBERS, TIGHT } from './variants.ts'

const MINUTE_MS = 60_000

/** Twenty servers of one second each take 2.05 sessions per second. */
const SHOP = { loadTest: shopLoadTest(), edge: ONE_ISOLATE } as const

const clairvoyant = clairvoyantOf('session', bestLoadsOf('shop'))

/** Sessions: an admission causes load for minutes. */
export const SHOP_CONTESTS: readonly Contest[] = [
  {
    ...SHOP,
    name: 'shop-calm',
    text: 'Three quarters of the capacity for twenty minutes: no visitor should be refused.',
    plant: shop({ arrivals: poisson(steps({ 0: 1.5 })) }),
    edge: SOME_ISOLATES,
    clairvoyant,
    kind: 'steady',
    // A cold start is another scenario: its first refusals would change the load of the following
    // minutes.
    measureFromSeconds: 600,
    seconds: 1800,
  },
  {
    ...SHOP,
    name: 'shop-cold',
    text: 'A cold start at five times the capacity, without any knowledge.',
    plant: shop({ arrivals: poisson(steps({ 0: 10 })) }),
    clairvoyant,
    kind: 'onset',
    measureFromSeconds: 0,
    seconds: 1500,
  },
  {
    ...SHOP,
    name: 'shop-surge-3x',
    text: 'Calm, then three times the load from one second to the next, without any earlier overload.',
    plant: shop({ arrivals: poisson(steps({ 0: 1.5, 600: 4.5 })) }),
    edge: SOME_ISOLATES,
    clairvoyant,
    kind: 'onset',
    measureFromSeconds: 600,
    seconds: 1800,
  },
  {
    ...SHOP,
    name: 'shop-retry-storm',
    text: 'Ten times the load at once; of the refused, four in ten retry at once and four in ten obey Retry-After.',
    plant: shop({
      arrivals: poisson(steps({ 0: 1.5, 600: 15 })),
      retries: { atOnce: 0.4, asTold: 0.4, most: 10 },
    }),
    clairvoyant,
    kind: 'onset',
    measureFromSeconds: 600,
    seconds: 1500,
  },
  {
    ...SHOP,
    name: 'shop-loss',
    text: 'In lasting overload eight of twenty servers fail with their requests, unannounced.',
    plant: shop({
      arrivals: poisson(steps({ 0: 4 })),
      changes: [{ atMs: 15 * MINUTE_MS, servers: 12, abrupt: true }],
    }),
    clairvoyant,
    kind: 'onset',
    measureFromSeconds: 900,
    seconds: 2400,
  },
  {
    ...SHOP,
    name: 'shop-return',
    text: 'Eight servers that were lost come back, unannounced.',
    plant: shop({
      arrivals: poisson(steps({ 0: 4 })),
      changes: [
        { atMs: 10 * MINUTE_MS, servers: 12 },
        { atMs: 25 * MINUTE_MS, servers: 20 },
      ],
    }),
    clairvoyant,
    kind: 'onset',
    measureFromSeconds: 1500,
    seconds: 2700,
  },
  {
    ...SHOP,
    name: 'shop-tight',
    text: 'Nearly constant service with a tight SLA: the step from no queue to too long a queue is small.',
    plant: shop({ ...TIGHT, arrivals: poisson(steps({ 0: 4 })) }),
    clairvoyant: clairvoyantOf('session', bestLoadsOf('shop-tight')),
    kind: 'steady',
    measureFromSeconds: 600,
    seconds: 2400,
  },
  {
    ...SHOP,
    name: 'shop-heavy-tail',
    text: 'Log-normal service (coefficient of variation 2) under processor sharing, at twice the capacity.',
    plant: shop({ ...HEAVY, arrivals: poisson(steps({ 0: 1, 300: 4 })) }),
    clairvoyant: clairvoyantOf('session', bestLoadsOf('shop-heavy-tail')),
    kind: 'onset',
    measureFromSeconds: 300,
    seconds: 1800,
  },
  {
    ...SHOP,
    name: 'shop-day',
    text: 'A day in forty minutes: from 0.3 to 1.7 times the capacity and back; service times from a measured page.',
    plant: shop({
      ...MEASURED,
      arrivals: poisson(
        dailyCycle({ mean: 2, swing: 0.7, peakMs: 1_200_000, days: 1, dayMs: 2_400_000 }),
      ),
    }),
    loadTest: shopLoadTest(MEASURED),
    clairvoyant: clairvoyantOf('session', bestLoadsOf('shop-day')),
    kind: 'varying',
    measureFromSeconds: 200,
    seconds: 2200,
  },
  {
    ...SHOP,
    name: 'shop-flash-crowd',
    text: 'The load doubles every 90 s up to six times the capacity, then falls back; members are worth five visitors.',
    plant: shop({
      ...MEMBERS,
      arrivals: poisson(FLASH_CROWD.arrivals),
      retries: { asTold: 0.3 },
    }),
    edge: SOME_ISOLATES,
    clairvoyant: clairvoyantOf('session', bestLoadsOf('shop-flash-crowd'), FLASH_CROWD),
    kind: 'onset',
    measureFromSeconds: 300,
    seconds: 1500,
  },
  {
    ...SHOP,
    name: 'shop-isolates',
    text: 'Four times the load at once, at 60 short-lived isolates in 10 colos; some reports are lost or late.',
    plant: shop({ arrivals: poisson(steps({ 0: 1.5, 600: 6 })) }),
    edge: MANY_ISOLATES,
    clairvoyant,
    kind: 'onset',
    measureFromSeconds: 600,
    seconds: 1500,
  },
]
