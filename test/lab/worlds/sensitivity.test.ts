import { describe, it } from 'vitest'
import { playChanges } from '../../../lab/commands/play-changes.ts'
import { runAll } from '../../../lab/jobs/run-all.ts'
import { drawWorld } from '../../../lab/worlds/draw-world.ts'
import {
  byInfluence,
  changesOf,
  effectOf,
  sensitivityText,
} from '../../../lab/worlds/sensitivity.ts'
import { SOC_LQR_OPTIONS } from '../../../src/learners/soc-lqr/options.ts'
import type { OptionTable } from '../../../src/lib/option-table.ts'

const number = { kind: 'number', text: '', source: '' } as const

describe('the changes of options', () => {
  it('are half and double, within the bounds', ({ expect }) => {
    const table: OptionTable = {
      free: { ...number, default: 4, above: 0 },
      least: { ...number, default: 1, min: 1 },
      most: { ...number, default: 0.9, above: 0, max: 1 },
      open: { ...number, default: 3, above: 1.5, below: 6 },
      flag: { kind: 'boolean', default: true, text: '', source: '' },
    }
    expect(changesOf(table, Object.keys(table))).toEqual([
      { option: 'free', value: 2 },
      { option: 'free', value: 8 },
      { option: 'least', value: 2 },
      { option: 'most', value: 0.45 },
      { option: 'most', value: 1 },
    ])
  })

  it('reach every option of soc-lqr', ({ expect }) => {
    const names = Object.keys(SOC_LQR_OPTIONS)
    const changed = changesOf(SOC_LQR_OPTIONS, names).map(({ option }) => option)
    expect([...new Set(changed)]).toEqual(names)
  })
})

const results = (...scores: number[]) =>
  scores.map((score, i) => ({
    world: `1.${i}`,
    policy: 'soc-lqr',
    share: score,
    uncut: score,
    ofVarying: score,
    violations: 0,
    score,
  }))

describe('an effect', () => {
  it('is the mean difference of the worlds, with its standard error', ({ expect }) => {
    const change = { option: 'certainty', value: 0.2 }
    const { difference, error, score } = effectOf(change, results(0.7, 0.9), results(0.6, 0.6))
    expect(score).toBeCloseTo(0.8)
    expect(difference).toBeCloseTo(0.2)
    expect(error).toBeCloseTo(0.1)
  })

  it('comes earlier the more one of its option moves the score', ({ expect }) => {
    const effect = (option: string, value: number, score: number) =>
      effectOf({ option, value }, results(score), results(0.5))
    const sorted = byInfluence([
      effect('certainty', 1, 0.5),
      effect('certainty', 2, 0.6),
      effect('trim', 1, 0.2),
      effect('trim', 2, 0.5),
    ])
    expect(sorted.map(({ option, value }) => `${option} ${value}`)).toEqual([
      'trim 1',
      'trim 2',
      'certainty 1',
      'certainty 2',
    ])
  })
})

describe('sensitivity on two small worlds', () => {
  it('changes the option in the run, and compares with the defaults', async ({ expect }) => {
    // Small origins without troubles: quick to calibrate. The second has sessions.
    const worlds = [drawWorld(1, 1641), drawWorld(1, 408)]
    const inThisThread = { workers: 0 }
    const found = await runAll(
      worlds.map(({ seed, index }) => ({ kind: 'world-clairvoyants', seed, index }) as const),
      inThisThread,
    )
    const outcome = await playChanges(
      { run: (_title, jobs) => runAll(jobs, inThisThread) },
      {
        worlds,
        clairvoyants: new Map(worlds.map(({ name }, i) => [name, found[i]!])),
        oneIsolate: true,
        options: ['certainty'],
      },
    )
    const { effects, defaults, complete } = outcome!
    expect(complete).toBe(true)
    expect(effects.map(({ value }) => value)).toEqual([1, 4])
    // Who wants to be more certain of each window admits less.
    expect(effects[1]!.share).toBeLessThan(effects[0]!.share)
    for (const { score, difference } of effects) {
      expect(score - defaults.score).toBeCloseTo(difference)
    }
    expect(sensitivityText(outcome!)).toMatch(/^option .*\n\(defaults\) .*\ncertainty +[14] /)
  }, 30_000)

  it('says nothing before the defaults are done', async ({ expect }) => {
    const world = drawWorld(1, 408)
    const choice = {
      worlds: [world],
      clairvoyants: new Map(),
      oneIsolate: true,
      options: ['certainty'],
    }
    expect(await playChanges({ run: async () => [] }, choice)).toBeNull()
  })
})
