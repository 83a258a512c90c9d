import { describe, it } from 'vitest'
import { drawWorld, SURGE_S } from '../../../lab/worlds/draw-world.ts'
import { serviceQuantile } from '../../../lab/worlds/service.ts'
import type { TroubleSpec, WorldSpec } from '../../../lab/worlds/spec.ts'

/** The table of docs/worlds.md, row by row. */

const WORLDS = Array.from({ length: 3000 }, (_, index) => drawWorld(1, index))

/** null or undefined: the world has no such part. */
type Pick<T> = (world: WorldSpec) => T | null | undefined

function valuesOf<T>(pick: Pick<T>): readonly T[] {
  return WORLDS.flatMap((world) => pick(world) ?? [])
}

/** Four standard deviations of a part of so many. */
const byChance = (part: number, of: number): number => 4 * Math.sqrt((part * (1 - part)) / of)

/** How far a part of these values is from the stated one, in what chance allows. */
function offBy<T>(part: number, values: readonly T[], is: (value: T) => boolean): number {
  return Math.abs(values.filter(is).length / values.length - part) / byChance(part, values.length)
}

interface Range {
  readonly from: number
  readonly to: number
  readonly law?: 'uniform' | 'log' | 'log whole'
}

/** The value below which a part of such a range lies. */
function quantile({ from, to, law = 'uniform' }: Range, part: number): number {
  if (law === 'uniform') return from + part * (to - from)
  if (law === 'log') return from * (to / from) ** part
  return from * ((to + 1) / from) ** part
}

/** Of whole numbers the part that is below one of them. */
function partBelow({ from, to, law }: Range, value: number, part: number): number {
  return law === 'log whole' ? Math.log(Math.ceil(value) / from) / Math.log((to + 1) / from) : part
}

const CHANCES: Readonly<Record<string, readonly [number, Pick<boolean>]>> = {
  'sessions rather than requests': [0.5, ({ traffic }) => traffic.session !== null],
  'sessions of a fixed length': [
    0.5,
    ({ traffic }) => traffic.session && traffic.session.length === 'fixed',
  ],
  'first come, first served': [0.6, ({ origin }) => origin.discipline === 'fifo'],
  thrashing: [0.2, ({ origin }) => origin.thrashesAbove !== null],
  'wasted work, first come, first served': [
    0.5,
    ({ origin }) => (origin.discipline === 'fifo' ? origin.wastesWork : null),
  ],
  'fail-fast': [0.15, ({ origin }) => origin.failsAbove !== null],
  'the 90th percentile': [1 / 3, ({ sla }) => sla.percentile === 90],
  'the 95th percentile': [1 / 3, ({ sla }) => sla.percentile === 95],
  'the 99th percentile': [1 / 3, ({ sla }) => sla.percentile === 99],
  'a cold start': [0.15, ({ onsetS }) => onsetS === 0],
  'a step': [0.4, ({ traffic }) => traffic.arrivals.shape === 'step'],
  'a ramp': [0.2, ({ traffic }) => traffic.arrivals.shape === 'ramp'],
  pulses: [0.2, ({ traffic }) => traffic.arrivals.shape === 'pulses'],
  waves: [0.2, ({ traffic }) => traffic.arrivals.shape === 'waves'],
  // A target above 25 s gives others this patience, too.
  'patience of 30 s': [
    0.2,
    ({ traffic, sla }) => (sla.targetMs < 3000 ? traffic.patienceMs === 30_000 : null),
  ],
  'retries of the refused': [0.5, ({ traffic }) => traffic.retries.most > 1],
  'sending again what failed': [0.3, ({ traffic }) => traffic.resend !== null],
  classes: [0.25, ({ traffic }) => traffic.classes.length > 0],
  'three classes of two or three': [
    0.5,
    ({ traffic }) => (traffic.classes.length > 0 ? traffic.classes.length === 3 : null),
  ],
  'a guarantee for the best class': [
    0.5,
    ({ traffic }) => (traffic.classes.length > 0 ? traffic.classes[0]!.guaranteed > 0 : null),
  ],
  'no trouble': [0.45, ({ trouble }) => trouble.kind === 'none'],
  'a loss for ever': [0.12, ({ trouble }) => trouble.kind === 'loss' && trouble.backAtS === null],
  'a loss and a return': [
    0.12,
    ({ trouble }) => trouble.kind === 'loss' && trouble.backAtS !== null,
  ],
  'a return': [0.08, ({ trouble }) => trouble.kind === 'return'],
  'a leak': [0.1, ({ trouble }) => trouble.kind === 'leak'],
  pauses: [0.13, ({ trouble }) => trouble.kind === 'pauses'],
  'an abrupt loss': [0.5, ({ trouble }) => (trouble.kind === 'loss' ? trouble.abrupt : null)],
  'a bounded life of isolates': [0.3, ({ edge }) => edge.lifeMs !== null],
  'lost messages': [0.4, ({ edge }) => edge.lost > 0],
  'late messages': [0.4, ({ edge }) => edge.late > 0],
  ...Object.fromEntries(
    ['constant', 'uniform', 'exponential', 'log-normal', 'hyperexponential', 'pareto'].map(
      (law) => [`${law} service`, [1 / 6, ({ origin }: WorldSpec) => origin.service.law === law]],
    ),
  ),
}

const serviceField =
  (law: string, field: 'cv' | 'spread' | 'shape'): Pick<number> =>
  ({ origin: { service } }) =>
    service.law === law && field in service
      ? (service as unknown as Record<typeof field, number>)[field]
      : null

const shapeField =
  (shape: string, field: 'riseS' | 'periodS' | 'duty'): Pick<number> =>
  ({ traffic: { arrivals } }) =>
    arrivals.shape === shape ? (arrivals as unknown as Record<typeof field, number>)[field] : null

const ofTrouble =
  <Kind extends TroubleSpec['kind']>(
    kind: Kind,
    pick: (trouble: Extract<TroubleSpec, { kind: Kind }>) => number | null,
  ): Pick<number> =>
  ({ trouble }) =>
    trouble.kind === kind ? pick(trouble as Extract<TroubleSpec, { kind: Kind }>) : null

/** The least mean service time that the two bounds allow. */
function leastMeanMs({ origin, traffic }: WorldSpec): number {
  const most = Math.min(1500, (4000 * (traffic.session?.pages ?? 1)) / traffic.overload)
  return (origin.servers * 1000) / most
}

/** Requests per second at the peak: visitors who ask, and further pages of those who were admitted. */
function peakOf({ traffic }: WorldSpec): number {
  return traffic.saturationRate * (traffic.overload + (traffic.session?.pages ?? 1) - 1)
}

const RANGES: Readonly<Record<string, readonly [Range, Pick<number>]>> = {
  servers: [{ from: 1, to: 64, law: 'log whole' }, ({ origin }) => origin.servers],
  'mean service, where no bound asks for more': [
    { from: 5, to: 500, law: 'log' },
    (world) => (leastMeanMs(world) < 5 ? world.origin.service.meanMs : null),
  ],
  'spread of uniform service': [{ from: 0.1, to: 0.5 }, serviceField('uniform', 'spread')],
  'cv of log-normal service': [{ from: 0.5, to: 2.5 }, serviceField('log-normal', 'cv')],
  'cv of hyperexponential service': [{ from: 1.5, to: 3 }, serviceField('hyperexponential', 'cv')],
  'shape of Pareto service': [{ from: 1.7, to: 3 }, serviceField('pareto', 'shape')],
  'thrashing above, per server': [
    { from: 2, to: 6 },
    ({ origin: { thrashesAbove, servers } }) =>
      thrashesAbove === null || servers < 16 ? null : (thrashesAbove - 16) / servers,
  ],
  // At the 99th percentile the target is often what an idle origin can keep.
  'target over the 95th percentile of service': [
    { from: 1.5, to: 6, law: 'log' },
    ({ sla, origin }) => {
      const p95 = serviceQuantile(origin, 0.95)
      // Targets are rounded up to whole milliseconds.
      return sla.percentile > 95 || p95 < 50 ? null : (sla.targetMs - 0.5) / p95
    },
  ],
  'pages of a session': [
    { from: 2, to: 20, law: 'log whole' },
    ({ traffic }) => traffic.session?.pages,
  ],
  'time between pages, where 60 s do not bound it': [
    { from: 200, to: 10_000, law: 'log' },
    ({ traffic: { session } }) => (session && session.pages <= 6 ? session.thinkMs : null),
  ],
  'calm load': [{ from: 0.3, to: 0.7 }, ({ traffic }) => traffic.calm],
  overload: [{ from: 1.2, to: 20, law: 'log' }, ({ traffic }) => traffic.overload],
  'rise of a ramp': [{ from: 20, to: 120 }, shapeField('ramp', 'riseS')],
  'period of pulses': [{ from: 20, to: 80 }, shapeField('pulses', 'periodS')],
  'duty of pulses': [{ from: 0.3, to: 0.7 }, shapeField('pulses', 'duty')],
  'period of waves': [{ from: 40, to: 160 }, shapeField('waves', 'periodS')],
  'patience over the target': [
    { from: 1.2, to: 8, law: 'log' },
    ({ traffic: { patienceMs }, sla: { targetMs } }) =>
      patienceMs === 30_000 || 8 * targetMs > 30_000 ? null : patienceMs / targetMs,
  ],
  'part that comes back at once': [
    { from: 0, to: 0.4 },
    ({ traffic: { retries } }) => (retries.most > 1 ? retries.atOnce : null),
  ],
  'part that comes back as told': [
    { from: 0, to: 0.5 },
    ({ traffic: { retries } }) => (retries.most > 1 ? retries.asTold : null),
  ],
  'time until something is sent again': [
    { from: 200, to: 2000, law: 'log' },
    ({ traffic }) => traffic.resend?.afterMs,
  ],
  'value of a class over the next': [
    { from: 2, to: 5 },
    ({ traffic: { classes } }) => classes.at(-2)?.value,
  ],
  'part that a loss leaves': [{ from: 0.4, to: 0.85 }, ofTrouble('loss', ({ left }) => left)],
  'part that is there before a return': [
    { from: 0.4, to: 0.85 },
    ofTrouble('return', ({ left }) => left),
  ],
  'part that a leak leaves': [{ from: 0.4, to: 0.85 }, ofTrouble('leak', ({ left }) => left)],
  'time of a loss': [{ from: 36, to: 120 }, ofTrouble('loss', ({ atS }) => atS)],
  'length of a loss': [
    { from: 36, to: 84 },
    ofTrouble('loss', ({ atS, backAtS }) => (backAtS === null ? null : backAtS - atS)),
  ],
  'time between pauses': [
    { from: 15, to: 60, law: 'log' },
    ofTrouble('pauses', ({ everyS }) => everyS),
  ],
  'length of a pause': [
    { from: 0.2, to: 2, law: 'log' },
    ofTrouble('pauses', ({ lengthS }) => lengthS),
  ],
  'isolates at the peak, where there are requests for them': [
    { from: 1, to: 1000, law: 'log whole' },
    (world) => (peakOf(world) >= 500 ? world.edge.isolates : null),
  ],
  'colos, where there are isolates for them': [
    { from: 1, to: 30, law: 'log whole' },
    ({ edge }) => (edge.isolates >= 30 ? edge.colos : null),
  ],
  'skew of colos': [{ from: 0, to: 1 }, ({ edge }) => edge.skew],
  'death after idling, in s': [{ from: 5, to: 60, law: 'log' }, ({ edge }) => edge.idleMs / 1000],
  'life of isolates, in s': [
    { from: 60, to: 300, law: 'log' },
    ({ edge }) => edge.lifeMs && edge.lifeMs / 1000,
  ],
  'ms to the coordinator': [{ from: 10, to: 100, law: 'log' }, ({ edge }) => edge.coordinatorMs],
  'part of messages lost': [{ from: 0, to: 0.1 }, ({ edge }) => edge.lost || null],
  'part of messages late': [{ from: 0, to: 0.2 }, ({ edge }) => edge.late || null],
}

describe('three thousand worlds', () => {
  it.for(Object.entries(CHANCES))('are as often as stated: %s', ([, [part, pick]], { expect }) => {
    expect(offBy(part, valuesOf(pick), (is) => is)).toBeLessThan(1)
  })

  it.for(Object.entries(RANGES))('fill the stated range: %s', ([, [range, pick]], { expect }) => {
    const values = valuesOf(pick)
    expect(values.length).toBeGreaterThan(60)
    // Values are rounded, a few of them to one digit.
    expect(Math.min(...values)).toBeGreaterThanOrEqual(range.from * 0.99)
    expect(Math.max(...values)).toBeLessThanOrEqual(range.to * 1.02)
    for (const part of [0.1, 0.25, 0.5, 0.75, 0.9]) {
      const value = quantile(range, part)
      const off = offBy(partBelow(range, value, part), values, (other) => other < value)
      expect(off, `a part of ${part} below ${value}`).toBeLessThan(1.3)
    }
  })

  it('have 1 to 3 tries of what is sent again, and at most five of the refused', ({ expect }) => {
    const most = valuesOf(({ traffic }) => traffic.resend?.most)
    for (const tries of [1, 2, 3])
      expect(offBy(1 / 3, most, (one) => one === tries)).toBeLessThan(1)
    const retries = valuesOf(({ traffic }) => traffic.retries)
    expect(new Set(retries.map((one) => one.most))).toEqual(new Set([1, 5]))
  })

  it('turn nobody away before what waits at half the target, and some at twice that', ({
    expect,
  }) => {
    const factors = valuesOf(({ origin: { failsAbove, servers, service }, sla }) => {
      const waiting = (servers * sla.targetMs) / service.meanMs
      return failsAbove === null || sla.percentile > 95 || waiting < 100
        ? null
        : (failsAbove - servers) / waiting
    })
    expect(Math.min(...factors)).toBeGreaterThan(0.48)
    expect(Math.max(...factors)).toBeLessThan(2.02)
    expect(offBy(0.5, factors, (factor) => factor < 1.25)).toBeLessThan(1)
  })

  it('have a calm period for 1.5 sessions, and a surge of four windows', ({ expect }) => {
    for (const { traffic, onsetS, seconds, sla } of WORLDS) {
      const { pages = 0, thinkMs = 0 } = traffic.session ?? {}
      if (onsetS > 0) expect(onsetS).toBe(Math.ceil(30 + (1.5 * pages * thinkMs) / 1000))
      expect(seconds - onsetS).toBe(SURGE_S)
      expect(SURGE_S * 1000).toBe(4 * sla.windowMs)
    }
  })

  it('have classes that are all visitors together, the best of them first', ({ expect }) => {
    for (const { traffic } of WORLDS) {
      const { classes, saturationRate } = traffic
      if (classes.length === 0) continue
      expect(classes.reduce((sum, { part }) => sum + part, 0)).toBeCloseTo(1, 9)
      const values = classes.map(({ value }) => value)
      expect(values).toEqual(values.toSorted((a, b) => b - a))
      expect(values.at(-1)).toBe(1)
      const [first = 0, ...others] = classes.map(({ guaranteed }) => guaranteed)
      expect(others.every((guaranteed) => guaranteed === 0)).toBe(true)
      if (first > 0) expect(Math.abs(first - 0.05 * saturationRate)).toBeLessThan(0.001)
    }
  })

  it('have isolates enough for the peak, and none without work', ({ expect }) => {
    for (const world of WORLDS) {
      const { isolates, requestsPerIsolate } = world.edge
      expect(requestsPerIsolate).toBeGreaterThanOrEqual(0.5)
      expect(Math.abs((isolates * requestsPerIsolate) / peakOf(world) - 1)).toBeLessThan(0.001)
    }
  })
})
