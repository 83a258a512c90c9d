import { describe, it } from 'vitest'
import type { Measured } from '../../../lab/gate/measures.ts'
import { figuresOf } from '../../../lab/tournament/figures.ts'
import {
  defeatsOf,
  linesOf,
  type Result,
  standingOf,
  summaryOf,
  violationsOf,
} from '../../../lab/tournament/standing.ts'

const measured = (inSlaValue: number, windowsMissed = 0): Measured => ({
  seconds: 600,
  inSlaValue,
  served: 0,
  failed: 0,
  abandoned: 0,
  lateShare: 0,
  windows: 10,
  windowsMissed,
  recoverySeconds: 30,
  offered: 200,
  refused: 100,
  refusedWithRoom: 20,
  early: 0,
  admittedVariation: 0.1,
  sessions: { completed: 60, abandoned: 10, broken: 30 },
})

const result = (contest: string, policy: string, seed: number, of: Measured): Result => ({
  contest,
  policy,
  seed,
  measured: of,
})

describe('the score of a run compared with the clairvoyant', () => {
  it('is share × (1 − violations): 0.9 of the value, 3 of 10 windows missed against 1', ({
    expect,
  }) => {
    const figures = figuresOf(measured(900, 3), measured(1000, 1))
    expect(figures.share).toBe(0.9)
    expect(figures.missed).toBe(0.3)
    expect(figures.clairvoyantMissed).toBe(0.1)
    expect(figures.score).toBeCloseTo(0.9 * 0.8, 12)
    expect(figures.refusedWithRoom).toBe(0.1)
    expect(figures.brokenOff).toBe(0.4)
  })

  it('is not higher for missing fewer windows than the clairvoyant', ({ expect }) => {
    expect(figuresOf(measured(900, 0), measured(1000, 5)).score).toBe(0.9)
  })

  it('has no windows without visitors', ({ expect }) => {
    const none = { ...measured(0), windows: 0 }
    expect(figuresOf(none, measured(1000)).missed).toBe(0)
  })
})

describe('the standing of a policy', () => {
  const results = [
    ...[1, 2, 3].flatMap((seed) => [
      result('a', 'clairvoyant', seed, measured(1000)),
      result('b', 'clairvoyant', seed, measured(1000, 1)),
      result('a', 'own', seed, measured(950 + seed)),
      result('b', 'own', seed, measured(800, 3)),
      result('a', 'rival', seed, measured(970 + seed)),
      result('b', 'rival', seed, measured(990, 10)),
    ]),
    result('a', 'own', 4, measured(1)), // no clairvoyant to compare with yet
  ]
  const lines = linesOf(results)
  const of = (policy: string) => lines.filter((line) => line.policy === policy)

  it('compares each run with the clairvoyant of its seed, and leaves out runs without one', ({
    expect,
  }) => {
    expect(of('own').map(({ seeds }) => seeds)).toEqual([
      [1, 2, 3],
      [1, 2, 3],
    ])
    expect(of('clairvoyant').map(violationsOf)).toEqual([0, 0])
  })

  it('is its mean and worst share, and its violations beyond the clairvoyant', ({ expect }) => {
    const standing = standingOf(of('own'))
    expect(standing.meanShare).toBeCloseTo((0.952 + 0.8) / 2, 12)
    expect(standing.worstShare).toBeCloseTo(0.8, 12)
    expect(standing.worstContest).toBe('b')
    expect(standing.violations).toBeCloseTo((0 + 0.2) / 2, 12)
    expect(standing.meanScore).toBeCloseTo((0.952 + 0.8 * 0.8) / 2, 12)
  })

  it("has intervals: 0.951 to 0.953 is 0.952 ± 0.001 · 4.303/√3 (Student's t)", ({ expect }) => {
    const { share } = summaryOf(of('own')[0]!)
    expect(share.mean).toBeCloseTo(0.952, 12)
    expect(share.high - share.mean).toBeCloseTo((0.001 * 4.303) / Math.sqrt(3), 6)
  })

  it('is behind a rival that leads with each seed by score', ({ expect }) => {
    // In "a" the rival leads by 0.02 with each seed; in "b" it misses every window.
    const defeats = defeatsOf(of('own'), of('rival'))
    expect(defeats.map(({ contest, by }) => [contest, by])).toEqual([['a', 'rival']])
    expect(defeats[0]!.lead.mean).toBeCloseTo(0.02, 12)
  })
})
