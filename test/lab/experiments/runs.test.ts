import { describe, it } from 'vitest'
import { claimsOf, type Experiment, pointsOf } from '../../../lab/experiments/experiment.ts'
import {
  admittedPart,
  between,
  curveOf,
  percentileMs,
} from '../../../lab/experiments/from-trace.ts'
import { EXPERIMENTS } from '../../../lab/experiments/index.ts'
import { Runs } from '../../../lab/experiments/runs.ts'
import { plantR } from '../../../lab/gate/plants.ts'
import { letAllIn } from '../../../lab/gate/policy.ts'
import { runPlant } from '../../../lab/gate/run-plant.ts'

const run = (policy: string, rate: number, seed: number, p95Ms: number) => ({
  point: { rate },
  policy,
  seed,
  found: { values: { p95Ms }, curves: { load: [[0, seed]] as const } },
})

describe('the runs of an experiment', () => {
  const runs = Runs.from([
    run('soc', 1, 2, 300),
    run('soc', 1, 1, 100),
    run('soc', 2, 1, 500),
    run('pac', 1, 1, 700),
  ])

  it('combine the seeds of a policy at a point: the mean of 100 and 300 is 200', ({ expect }) => {
    expect(runs.length).toBe(3)
    const one = runs.one({ policy: 'soc', rate: 1 })
    expect(one.mean('p95Ms')).toBe(200)
    expect(one.each('p95Ms')).toEqual([100, 300])
    // Student's t with one degree of freedom is 12.706; the standard error is 100.
    expect(one.of('p95Ms').high).toBeCloseTo(200 + 1270.6, 0)
    expect(one.curve('load')).toEqual([[0, 1]])
  })

  it('are selected by policy and point', ({ expect }) => {
    expect(runs.where({ policy: 'soc' }).means('p95Ms')).toEqual([200, 500])
    expect(runs.where({ rate: 1 }).map(({ policy }) => policy)).toEqual(['soc', 'pac'])
    expect(runs.filter((one) => one.mean('p95Ms') > 400).length).toBe(2)
  })

  it('reject a claim about no runs, an unknown value and an ambiguous run', ({ expect }) => {
    expect(() => runs.where({ policy: 'lqr' }).every(() => true)).toThrow('no runs at all')
    expect(() => runs.where({ policy: 'lqr' }).some(() => true)).toThrow('no runs at all')
    expect(() => runs.one({ policy: 'soc' })).toThrow('expected one run')
    expect(() => runs.one({ policy: 'pac' }).mean('p99Ms')).toThrow('"p99Ms"')
  })
})

describe('the varied parameters', () => {
  it('give all combinations', ({ expect }) => {
    expect(pointsOf({ a: [1, 2], b: ['x'] })).toEqual([
      { a: 1, b: 'x' },
      { a: 2, b: 'x' },
    ])
    expect(pointsOf({})).toEqual([{}])
  })
})

/** The figure of the paper is a table. */
const TABLES = ['seda-11']

describe('every experiment', () => {
  it('has a unique name, claims and plots', ({ expect }) => {
    expect(new Set(EXPERIMENTS.map(({ name }) => name)).size).toBe(EXPERIMENTS.length)
    for (const { claims, plots, name } of EXPERIMENTS) {
      expect(claims.length, name).toBeGreaterThan(0)
      expect(plots.length > 0, name).toBe(!TABLES.includes(name))
    }
  })

  it('has a short form that is a subset of the full form', ({ expect }) => {
    for (const experiment of EXPERIMENTS) {
      expect(experiment.policies('full')).toEqual(
        expect.arrayContaining([...experiment.policies('short')]),
      )
      expect(experiment.points('full')).toEqual(
        expect.arrayContaining([...experiment.points('short')]),
      )
      expect(experiment.seeds.short).toBeLessThanOrEqual(experiment.seeds.full)
    }
  })

  it('leaves out the claims about policies that the short form does not run', ({ expect }) => {
    const claims = (experiment: Experiment) => claimsOf(experiment, 'short')
    for (const experiment of EXPERIMENTS) {
      for (const { about } of claims(experiment)) {
        if (about !== undefined) expect(experiment.policies('short')).toContain(about)
      }
    }
    const soc = EXPERIMENTS.find(({ name }) => name === 'soc-9-10')!
    expect(claims(soc).length).toBe(soc.claims.length - 1)
  })
})

describe('figures from a trace', () => {
  const { trace } = runPlant({ plant: plantR(), policy: letAllIn, seed: 1, seconds: 30 })

  it('take the ticks between two seconds', ({ expect }) => {
    const part = between(trace, 10, 20)
    expect(part.map(({ atMs }) => atMs / 1000)).toEqual([11, 12, 13, 14, 15, 16, 17, 18, 19, 20])
  })

  it('have one value for each stretch, at its middle', ({ expect }) => {
    const curve = curveOf(trace, 10, (part) => part.length)
    expect(curve).toEqual([
      [5, 10],
      [15, 10],
      [25, 10],
    ])
  })

  it('show that all were admitted and that the queue grows', ({ expect }) => {
    expect(admittedPart(trace)).toBe(1)
    expect(percentileMs(between(trace, 20), 95)).toBeGreaterThan(
      percentileMs(between(trace, 0, 10), 95),
    )
  })
})
