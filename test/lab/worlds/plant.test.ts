import { describe, it } from 'vitest'
import { letAllIn, type PolicyFactory } from '../../../lab/gate/policy.ts'
import { runPlant } from '../../../lab/gate/run-plant.ts'
import { arrivalRate } from '../../../lab/worlds/arrival-rate.ts'
import { changesOf, plantOf } from '../../../lab/worlds/plant.ts'
import type { OriginSpec, TrafficSpec, TroubleSpec } from '../../../lab/worlds/spec.ts'
import { plainWorld } from '../../support/lab-world.ts'
import { type Job, serve } from '../../support/origin-bench.ts'

const ended = (origin: Partial<OriginSpec>, jobs: readonly Job[]) =>
  serve(plantOf(plainWorld({ origin })).origin, jobs)

/** Jobs of 100 ms that all arrive at once. */
const together = (count: number): Job[] =>
  Array.from({ length: count }, () => ({ atMs: 0, demandMs: 100 }))

const last = (ends: readonly string[]) =>
  Math.max(...ends.map((end) => Number(end.split(' ').at(-1))))

describe('the origin of a world', () => {
  it('has the servers and the discipline that it states', ({ expect }) => {
    const jobs = [{ atMs: 0, demandMs: 100 }, ...together(3)]
    expect(ended({}, jobs)).toEqual([
      'served at 100',
      'served at 100',
      'served at 200',
      'served at 200',
    ])
    expect(ended({ discipline: 'sharing' }, jobs)).toEqual(jobs.map(() => 'served at 200'))
    expect(ended({ servers: 4 }, jobs)).toEqual(jobs.map(() => 'served at 100'))
  })

  it('thrashes above a number inside: in proportion, and to a quarter of the speed', ({
    expect,
  }) => {
    const sharing = { discipline: 'sharing', servers: 1, thrashesAbove: 10 } as const
    expect(last(ended(sharing, together(10)))).toBe(1000)
    expect(last(ended(sharing, together(20)))).toBe(2 * 2000)
    expect(last(ended(sharing, together(40)))).toBe(4 * 4000)
    expect(last(ended(sharing, together(200)))).toBe(4 * 20_000)
    const fifo = { servers: 1, thrashesAbove: 2 } as const
    expect(ended(fifo, together(2))).toEqual(['served at 100', 'served at 200'])
    // The second starts with four inside, the third with three.
    expect(ended(fifo, together(5)).slice(1, 3)).toEqual(['served at 300', 'served at 450'])
  })

  it('answers an error at once to those who find too many inside', ({ expect }) => {
    for (const discipline of ['fifo', 'sharing'] as const) {
      const ends = ended({ discipline, failsAbove: 5 }, together(7))
      expect(ends.filter((end) => end === 'failed at 0')).toHaveLength(2)
      expect(ends.filter((end) => end.startsWith('served'))).toHaveLength(5)
    }
  })

  it('works for those who have left, if it wastes work', ({ expect }) => {
    const jobs = [
      { atMs: 0, demandMs: 100 },
      { atMs: 0, demandMs: 100, abandonMs: 50 },
      { atMs: 0, demandMs: 100 },
    ]
    expect(ended({ servers: 1 }, jobs).at(-1)).toBe('served at 200')
    expect(ended({ servers: 1, wastesWork: true }, jobs).at(-1)).toBe('served at 300')
  })
})

describe('the troubles of an origin', () => {
  const changes = (trouble: TroubleSpec, servers = 10) =>
    changesOf(plainWorld({ trouble, origin: { servers } }))

  it('come so many seconds after the onset: a loss, and a return', ({ expect }) => {
    const loss = { kind: 'loss', left: 0.6, atS: 40, backAtS: 90, abrupt: true } as const
    expect(changes(loss)).toEqual([
      { atMs: 70_000, servers: 6, abrupt: true },
      { atMs: 120_000, servers: 10 },
    ])
    expect(changes({ ...loss, backAtS: null, abrupt: false })).toEqual([
      { atMs: 70_000, servers: 6, abrupt: false },
    ])
    expect(changes({ kind: 'return', left: 0.5, backAtS: 60 })).toEqual([
      { atMs: 0, servers: 5 },
      { atMs: 90_000, servers: 10 },
    ])
  })

  it('take at least one server and leave at least one; a single one loses speed', ({ expect }) => {
    const loss = { kind: 'loss', left: 0.85, atS: 0, backAtS: null, abrupt: false } as const
    expect(changes(loss, 2)).toMatchObject([{ servers: 1 }])
    expect(changes({ ...loss, left: 0.1 }, 2)).toMatchObject([{ servers: 1 }])
    expect(changes(loss, 1)).toMatchObject([{ speed: 0.85 }])
  })

  it('leak speed in steps of 10 s, and pause at regular intervals to the end', ({ expect }) => {
    const leak = changes({ kind: 'leak', left: 0.5, fromS: 20, toS: 70 })
    expect(leak).toHaveLength(5)
    expect(leak[0]).toEqual({ atMs: 60_000, speed: 0.9 })
    expect(leak.at(-1)).toEqual({ atMs: 100_000, speed: 0.5 })
    const pauses = changes({ kind: 'pauses', everyS: 60, lengthS: 1.5 })
    expect(pauses.map(({ atMs, speed }) => [atMs, speed])).toEqual([
      [30_000, 0],
      [31_500, 1],
      [90_000, 0],
      [91_500, 1],
      [150_000, 0],
      [151_500, 1],
      [210_000, 0],
      [211_500, 1],
    ])
  })

  it('reach the run', ({ expect }) => {
    const trouble = { kind: 'loss', left: 0.5, atS: 10, backAtS: null, abrupt: false } as const
    const world = plainWorld({ trouble, traffic: { patienceMs: 1e6 } })
    const { served } = runPlant({
      plant: plantOf(world),
      policy: letAllIn,
      seed: 1,
      seconds: 100,
      measureFromSeconds: 50,
    })
    // One of two servers of 10/s each.
    expect(served).toBe(500)
  })
})

describe('the arrivals of a world', () => {
  const rates = (arrivals: TrafficSpec['arrivals'], atS: readonly number[]) => {
    const rate = arrivalRate(plainWorld({ traffic: { arrivals, calm: 0.5, overload: 4 } }))
    return atS.map((s) => Math.round(rate.rateAt(1000 * s)))
  }

  it('are calm until the onset at 30 s, and then a step', ({ expect }) => {
    expect(rates({ shape: 'step' }, [0, 29, 30, 269])).toEqual([10, 10, 80, 80])
  })

  it('are a ramp', ({ expect }) => {
    expect(rates({ shape: 'ramp', riseS: 70 }, [29, 30, 65, 99, 101])).toEqual([10, 10, 45, 79, 80])
  })

  it('are pulses that begin with the onset', ({ expect }) => {
    const pulses = { shape: 'pulses', periodS: 50, duty: 0.4 } as const
    expect(rates(pulses, [29, 31, 49, 51, 79, 81, 229, 231, 251])).toEqual([
      10, 80, 80, 10, 10, 80, 10, 80, 10,
    ])
  })

  it('are waves from calm to the peak and back', ({ expect }) => {
    const waves = { shape: 'waves', periodS: 80 } as const
    expect(rates(waves, [30, 50, 70, 90, 110, 150, 230])).toEqual([10, 45, 80, 45, 10, 80, 80])
  })

  it('are calm for those servers that are there before a return', ({ expect }) => {
    const trouble = { kind: 'return', left: 0.4, backAtS: 60 } as const
    const rate = arrivalRate(plainWorld({ trouble }))
    expect([rate.rateAt(0), rate.rateAt(31_000)]).toEqual([0.5 * 0.4 * 20, 40])
  })
})

describe('the visitors of a world', () => {
  const CALM_S = 25

  /** What the gate sees in the calm: how often each visitor of a class asks, and what it sends. */
  function seen(traffic: Partial<TrafficSpec>, origin: Partial<OriginSpec> = {}, admitsAll = true) {
    const asked = new Map<number, number>()
    const classes: number[] = []
    let sent = 0
    const asks = (home: number) => void asked.set(home, (asked.get(home) ?? 0) + 1)
    const policy: PolicyFactory = () => ({
      admits(klass, _nowMs, home) {
        if (!asked.has(home)) classes.push(klass)
        asks(home)
        return admitsAll
      },
      cameEarly: (_klass, _nowMs, home) => asks(home),
      sent: () => void sent++,
    })
    const plant = plantOf(plainWorld({ traffic, origin }))
    const run = runPlant({ plant, policy, seed: 1, seconds: CALM_S })
    return { run, classes, sent, visitors: asked.size, times: [...asked.values()] }
  }

  it('come back after a refusal at once or as told, or not at all', ({ expect }) => {
    const never = seen({}, {}, false)
    expect(new Set(never.times)).toEqual(new Set([1]))
    const some = seen({ retries: { atOnce: 0.4, asTold: 0, most: 5 } }, {}, false)
    const often = some.times.filter((times) => times > 1)
    expect(Math.abs(often.length / some.visitors - 0.4)).toBeLessThan(0.13)
    expect(Math.max(...often)).toBe(5)
    const told = seen({ retries: { atOnce: 0, asTold: 1, most: 5 } }, {}, false)
    expect(Math.max(...told.times)).toBeGreaterThan(1)
    // As told is never early, and at once is.
    expect([told.run.early, some.run.early > 0]).toEqual([0, true])
  })

  it('leave when their patience is over', ({ expect }) => {
    const slow = { service: { law: 'constant', meanMs: 5000 } } as const
    expect(seen({ patienceMs: 30_000 }, slow).run.abandoned).toBe(0)
    const { run, visitors } = seen({ patienceMs: 1000 }, slow)
    expect(run.abandoned).toBeGreaterThan(0.9 * visitors)
  })

  it('send again what failed', ({ expect }) => {
    const failing = { failsAbove: 2, service: { law: 'constant', meanMs: 60_000 } } as const
    const once = seen({}, failing)
    expect(once.sent).toBe(once.visitors)
    for (const session of [null, { pages: 2, length: 'fixed', thinkMs: 1000 }] as const) {
      const { sent, visitors } = seen({ session, resend: { most: 2, afterMs: 200 } }, failing)
      // The first two are in service all the time, and the last ones have not sent again yet.
      expect(sent).toBeGreaterThan(2.8 * (visitors - 2))
      expect(sent).toBeLessThanOrEqual(3 * visitors)
    }
  })

  it('are of the classes that it states', ({ expect }) => {
    const gold = { name: 'gold', value: 3, part: 0.2, guaranteed: 1 }
    const rest = { name: 'silver', value: 1, part: 0.8, guaranteed: 0 }
    const { classes, run } = seen({ classes: [gold, rest] })
    const best = classes.filter((klass) => klass === 0).length
    expect(Math.abs(best / classes.length - 0.2)).toBeLessThan(0.11)
    expect(run.inSlaValue).toBeGreaterThan(1.2 * run.served)
    const plant = plantOf(plainWorld({ traffic: { classes: [gold, rest] } }))
    expect(plant.classes).toMatchObject([{ name: 'gold', guaranteed: 1 }, { name: 'silver' }])
  })

  it('see as many pages as it states, always or in the mean', ({ expect }) => {
    const fast = { servers: 64, service: { law: 'constant', meanMs: 10 } } as const
    const session = { pages: 4, length: 'fixed', thinkMs: 10 } as const
    const fixed = seen({ session }, fast)
    expect(fixed.sent).toBeGreaterThan(4 * fixed.visitors - 8)
    expect(fixed.sent).toBeLessThanOrEqual(4 * fixed.visitors)
    const geometric = seen({ session: { ...session, length: 'geometric' } }, fast)
    expect(geometric.sent).not.toBe(fixed.sent)
    // About 250 sessions; pages have a standard deviation of 3.5.
    expect(Math.abs(geometric.sent / geometric.visitors - 4)).toBeLessThan(0.9)
  })
})
