import type { RetryRule } from '../crowd/visitor.ts'
import { ATTACKS } from './attack-cases.ts'
import type { CrowdWorld, OriginChange, TrialCase } from './trial-case.ts'

/**
 * The trials. A load generator, workerd and an origin share a machine of two cores, so no case
 * sends more than a few hundred requests per second.
 */

/** Half the capacity for 20 s, then this multiple of it. */
function step(load: number): CrowdWorld['load'] {
  return [
    { fromS: 0, load: 0.5 },
    { fromS: 20, load },
  ]
}

/** Sessions of five pages, a second apart. */
const SHOPPERS = { pages: 5, thinkMs: 1000, patienceMs: 5000 } as const

const AS_TOLD: RetryRule = { kind: 'told', most: 3 }
const IMPATIENT: RetryRule = { kind: 'impatient', most: 10, pauseMs: 500 }

/** 4 servers at 40 ms: 100 requests/s. */
const SHOP = { servers: 4, service: { law: 'exponential', meanMs: 40 } } as const

/** Speed from 1 down to `left`, in steps of 5 s. */
function leak(fromS: number, toS: number, left: number): OriginChange[] {
  const steps = (toS - fromS) / 5
  return Array.from({ length: steps }, (_, i) => ({
    atS: fromS + 5 * (i + 1),
    speed: 1 - ((1 - left) * (i + 1)) / steps,
  }))
}

function pauses(fromS: number, toS: number, everyS: number, lengthS: number): OriginChange[] {
  const count = Math.floor((toS - fromS) / everyS)
  return Array.from({ length: count }, (_, i) => fromS + i * everyS).flatMap((atS) => [
    { atS, speed: 0 },
    { atS: atS + lengthS, speed: 1 },
  ])
}

const OVERLOAD: readonly TrialCase[] = [
  {
    name: 'tight-target',
    text: 'nearly constant service of 40 ms with a target of 150 ms, sessions of 2 s, x 2.5',
    seconds: 90,
    origin: { servers: 8, service: { law: 'constant', meanMs: 40, spread: 0.1 } },
    targetMs: 150,
    crowd: { load: step(2.5), pages: 5, thinkMs: 400, patienceMs: 5000 },
  },
  {
    name: 'thrashing',
    text: 'processor sharing that loses time above 24 requests inside, x 4',
    seconds: 90,
    origin: {
      ...SHOP,
      discipline: 'sharing',
      thrashing: { above: 24, double: 48, most: 4 },
    },
    targetMs: 500,
    crowd: { ...SHOPPERS, load: step(4) },
    capacity: 'calibrated',
    goal: 0.85,
  },
  {
    name: 'log-normal',
    text: 'log-normal service under processor sharing, x 3',
    seconds: 120,
    origin: {
      servers: 4,
      discipline: 'sharing',
      service: { law: 'log-normal', meanMs: 40, cv: 1.5 },
    },
    targetMs: 800,
    crowd: { ...SHOPPERS, load: step(3) },
  },
  {
    name: 'small-origin',
    text: '10 requests/s, as many small sites serve, x 3',
    seconds: 150,
    origin: { servers: 4, service: { law: 'log-normal', meanMs: 400, cv: 0.5 } },
    targetMs: 2000,
    crowd: { load: step(3), pages: 4, thinkMs: 2000, patienceMs: 8000 },
    goal: 0.85,
  },
  {
    name: 'cold-start',
    text: 'x 4 from the first second on: nothing is learned yet',
    seconds: 60,
    origin: SHOP,
    targetMs: 500,
    crowd: { ...SHOPPERS, load: [{ fromS: 0, load: 4 }] },
  },
  {
    name: 'api',
    text: 'a route that admits single requests, x 3',
    seconds: 90,
    origin: SHOP,
    targetMs: 500,
    route: { granularity: 'request' },
    crowd: { load: step(3), pages: 1, thinkMs: 0, patienceMs: 3000 },
  },
  {
    name: 'flash-5',
    text: 'flash crowd x 5, the refused come back as told',
    seconds: 90,
    origin: SHOP,
    targetMs: 500,
    crowd: { ...SHOPPERS, load: step(5), retry: AS_TOLD },
  },
  {
    name: 'flash-10',
    text: 'flash crowd x 10',
    seconds: 90,
    origin: SHOP,
    targetMs: 500,
    crowd: { ...SHOPPERS, load: step(10) },
  },
  {
    name: 'flash-20',
    text: 'flash crowd x 20',
    seconds: 90,
    origin: { servers: 4, service: { law: 'exponential', meanMs: 80 } },
    targetMs: 1000,
    crowd: { ...SHOPPERS, load: step(20) },
  },
  {
    name: 'servers-lost',
    text: 'x 2.5; half of the servers are lost at 60 s and return at 100 s',
    seconds: 150,
    origin: {
      servers: 8,
      service: { law: 'exponential', meanMs: 80 },
      changes: [
        { atS: 60, servers: 4 },
        { atS: 100, servers: 8 },
      ],
    },
    targetMs: 1000,
    crowd: { ...SHOPPERS, load: step(2.5) },
  },
  {
    name: 'slow-leak',
    text: 'x 2.5; the speed falls to half between 40 s and 120 s',
    seconds: 150,
    origin: { ...SHOP, changes: leak(40, 120, 0.5) },
    targetMs: 600,
    crowd: { ...SHOPPERS, load: step(2.5) },
  },
  {
    name: 'pauses',
    text: 'x 2.5; the origin stops for 0.3 s every 6 s, as for garbage collection',
    seconds: 120,
    origin: { ...SHOP, changes: pauses(3, 120, 6, 0.3) },
    targetMs: 800,
    crowd: { ...SHOPPERS, load: step(2.5) },
  },
  {
    name: 'fail-fast',
    text: 'the origin answers 500 at once with 40 requests inside, long before it is slow, x 5',
    seconds: 90,
    origin: { ...SHOP, room: 40 },
    targetMs: 1000,
    crowd: { ...SHOPPERS, load: step(5) },
  },
  {
    name: 'retry-storm',
    text: 'x 3; the refused try again after 0.5 s whatever they are told, up to 10 times',
    seconds: 90,
    origin: { servers: 4, service: { law: 'exponential', meanMs: 80 } },
    targetMs: 1000,
    crowd: { ...SHOPPERS, load: step(3), retry: IMPATIENT },
  },
  {
    name: 'classes',
    text: 'x 4; a fifth of the sessions are buyers: value 10, 3 sessions/s guaranteed',
    seconds: 90,
    origin: SHOP,
    targetMs: 500,
    route: {
      classes: [
        { name: 'buyers', value: 10, guaranteed: 3, match: { path: '/buyers/*' } },
        { name: 'visitors' },
      ],
    },
    crowd: {
      ...SHOPPERS,
      load: step(4),
      parts: [
        { name: 'buyers', part: 0.2 },
        { name: 'visitors', part: 0.8 },
      ],
    },
  },
  {
    name: 'pareto',
    text: 'Pareto service (shape 2.2) under processor sharing, x 3',
    seconds: 120,
    origin: {
      servers: 4,
      discipline: 'sharing',
      service: { law: 'pareto', meanMs: 40, shape: 2.2 },
    },
    targetMs: 600,
    crowd: { ...SHOPPERS, load: step(3) },
  },
]

interface TrialGroup {
  readonly name: string
  readonly text: string
  readonly cases: readonly TrialCase[]
}

/** Without names, the first group runs. */
export const GROUPS: readonly TrialGroup[] = [
  { name: 'overload', text: 'surges, and origins of many kinds behind them', cases: OVERLOAD },
  { name: 'attacks', text: 'attacks on the learner, during a surge x 2', cases: ATTACKS },
]
