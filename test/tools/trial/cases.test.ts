import { describe, it } from 'vitest'
import { loadConfig } from '../../../src/config/load.ts'
import { LEARNER_OPTIONS } from '../../../src/learners/registry.ts'
import { bestGoodput } from '../../../tools/trial/best-goodput.ts'
import { capacityPerSecond, nominalPerSecond } from '../../../tools/trial/capacity.ts'
import { GROUPS } from '../../../tools/trial/cases.ts'
import { configOf } from '../../../tools/trial/run.ts'
import { mostPerSecond, partNames, sessionsOf } from '../../../tools/trial/sessions.ts'
import {
  DEFAULT_GOAL,
  inSeconds,
  onsetS,
  SETTLE_S,
  type TrialCase,
} from '../../../tools/trial/trial-case.ts'

const all = GROUPS.flatMap(({ cases }) => cases)
const named = (name: string): TrialCase => all.find((trial) => trial.name === name)!

describe('the trials', () => {
  it('have different names, also from their groups', ({ expect }) => {
    const names = [...GROUPS.map(({ name }) => name), ...all.map(({ name }) => name)]
    expect(new Set(names).size).toBe(names.length)
    expect(GROUPS[0]!.cases.length).toBeGreaterThanOrEqual(14)
  })

  it('have the goal 0.90, and 0.85 where an origin thrashes or serves fewer than 20/s', ({
    expect,
  }) => {
    for (const trial of GROUPS[0]!.cases) {
      const { goal = DEFAULT_GOAL, origin } = trial
      const isHard = origin.thrashing !== undefined || nominalPerSecond(origin) < 20
      expect(goal, trial.name).toBe(isHard ? 0.85 : 0.9)
    }
  })

  it('have origins of every kind: both disciplines, all laws, thrashing, errors and changes', ({
    expect,
  }) => {
    const origins = GROUPS[0]!.cases.map(({ origin }) => origin)
    const kinds = (of: (origin: (typeof origins)[number]) => unknown) => new Set(origins.map(of))
    expect(kinds(({ discipline = 'fifo' }) => discipline)).toEqual(new Set(['fifo', 'sharing']))
    expect(kinds(({ service }) => service.law)).toEqual(
      new Set(['constant', 'exponential', 'log-normal', 'pareto']),
    )
    expect(origins.some(({ thrashing }) => thrashing !== undefined)).toBe(true)
    expect(origins.some(({ room }) => room !== undefined)).toBe(true)
    const changes = origins.flatMap((origin) => origin.changes ?? [])
    expect(changes.some(({ servers }) => servers !== undefined)).toBe(true)
    expect(changes.some(({ speed }) => speed === 0)).toBe(true)
    expect(changes.some(({ speed = 0 }) => speed > 0 && speed < 1)).toBe(true)
  })

  it('have crowds of every kind: sessions and single requests, those who come back, and classes', ({
    expect,
  }) => {
    const crowds = GROUPS[0]!.cases.map(({ crowd }) => crowd)
    expect(new Set(crowds.map(({ retry }) => retry?.kind))).toEqual(
      new Set([undefined, 'told', 'impatient']),
    )
    expect(crowds.some(({ pages }) => pages === 1)).toBe(true)
    expect(crowds.some(({ pages }) => pages > 1)).toBe(true)
    expect(crowds.some(({ parts = [] }) => parts.length > 1)).toBe(true)
    const cold = GROUPS[0]!.cases.filter((trial) => onsetS(trial) === 0)
    expect(cold).toHaveLength(1)
  })

  it.for(all)(
    '$name: lasts 60 to 180 s, and is measured for at least 40 s',
    (trial, { expect }) => {
      expect(trial.seconds).toBeGreaterThanOrEqual(60)
      expect(trial.seconds).toBeLessThanOrEqual(180)
      expect(trial.seconds - onsetS(trial) - SETTLE_S).toBeGreaterThanOrEqual(40)
      for (const { atS } of trial.origin.changes ?? []) expect(atS).toBeLessThan(trial.seconds)
    },
  )

  it.for(all)('$name: sends at most 500 requests/s', (trial, { expect }) => {
    expect(mostPerSecond(trial)).toBeLessThanOrEqual(500)
  })

  it.for(all)('$name: has a configuration without faults', (trial, { expect }) => {
    const config = configOf(trial, 'http://127.0.0.1:1')
    const { routes } = loadConfig(config, { origin: 'required', learners: LEARNER_OPTIONS })
    const { granularity = 'session', classes = [{ name: 'default' }] } = trial.route ?? {}
    const { percentile = 95, targetMs } = trial
    expect(routes).toMatchObject([
      // Behind a waiting room nobody would be refused, and nobody would come back on his own.
      { granularity, whenFull: ['refuse'], sla: { percentile, targets: [{ targetMs }] } },
    ])
    expect(routes[0]!.classes.map(({ name }) => name)).toEqual(classes.map(({ name }) => name))
  })

  it.for(all)(
    '$name: a clairvoyant who holds the visitors reaches the goal',
    (trial, { expect }) => {
      const capacity = capacityPerSecond(trial)
      expect(bestGoodput(trial)).toBeGreaterThan(1.03 * (trial.goal ?? DEFAULT_GOAL) * capacity)
    },
  )

  it('keep their shape in another length', ({ expect }) => {
    const half = inSeconds(named('servers-lost'), 75)
    expect(half.crowd.load).toEqual([
      { fromS: 0, load: 0.5 },
      { fromS: 10, load: 2.5 },
    ])
    expect(half.origin.changes).toEqual([
      { atS: 30, servers: 4 },
      { atS: 50, servers: 8 },
    ])
  })
})

describe('the crowd of a trial', () => {
  const trial = named('classes')
  const sessions = [...sessionsOf(trial, 1)]

  it('offers the load of each phase: 0.5 × 100/s for 20 s, then 4 × 100/s for 70 s', ({
    expect,
  }) => {
    const pages = (isSurge: boolean) =>
      sessions
        .filter(({ atMs }) => atMs >= 20_000 === isSurge)
        .reduce((sum, session) => sum + session.pages.length, 0)
    // The pages of a session have a standard deviation of 4.5: four deviations of the sum.
    expect(Math.abs(pages(false) - 1000)).toBeLessThan(380)
    expect(Math.abs(pages(true) - 28_000)).toBeLessThan(2020)
  })

  it('has the parts of its table, each with paths of its own', ({ expect }) => {
    expect(partNames(trial.crowd)).toEqual(['buyers', 'visitors'])
    const buyers = sessions.filter(({ pages }) => pages[0]!.path === '/buyers/0')
    // About 5800 sessions: a standard deviation of 0.005.
    expect(Math.abs(buyers.length / sessions.length - 0.2)).toBeLessThan(0.025)
    for (const { pages } of buyers) expect(new Set(pages.map(({ kind }) => kind)).size).toBe(1)
  })

  it('is the same for the same seed, and different for another', ({ expect }) => {
    expect([...sessionsOf(trial, 1)]).toEqual(sessions)
    expect([...sessionsOf(trial, 2)]).not.toEqual(sessions)
  })

  it('thinks as long as stated between pages', ({ expect }) => {
    const thinks = sessions.flatMap(({ thinkMs }) => thinkMs)
    const mean = thinks.reduce((sum, ms) => sum + ms, 0) / thinks.length
    // About 29 000 pages: four standard errors.
    expect(Math.abs(mean - 1000)).toBeLessThan(24)
  })

  it('has sessions of one request on a route that admits single requests', ({ expect }) => {
    for (const { pages } of sessionsOf(named('api'), 1)) expect(pages).toHaveLength(1)
  })
})
