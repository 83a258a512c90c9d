import { describe, it } from 'vitest'
import { playChanges } from '../../../lab/commands/play-changes.ts'
import { constantsIn, constantsOfLearner, withConstant } from '../../../lab/jobs/other-constant.ts'
import { runAll } from '../../../lab/jobs/run-all.ts'
import { drawWorld } from '../../../lab/worlds/draw-world.ts'
import {
  byInfluence,
  changesOf,
  effectOf,
  nameOf,
  sensitivityText,
} from '../../../lab/worlds/sensitivity.ts'
import { SOC_LQR_OPTIONS } from '../../../src/learners/soc-lqr/options.ts'
import type { OptionTable } from '../../../src/lib/option-table.ts'

const number = { kind: 'number', text: '', source: '' } as const

describe('the changes of numbers', () => {
  it('are half and double, within the bounds of an option', ({ expect }) => {
    const table: OptionTable = {
      free: { ...number, default: 4, above: 0 },
      least: { ...number, default: 1, min: 1 },
      most: { ...number, default: 0.4, above: 0, max: 0.5 },
      open: { ...number, default: 3, above: 2, below: 7 },
      flag: { kind: 'boolean', default: true, text: '', source: '' },
    }
    expect(changesOf(table, [])).toEqual([
      { name: 'free', value: 2 },
      { name: 'free', value: 8 },
      { name: 'least', value: 2 },
      { name: 'most', value: 0.2 },
      { name: 'most', value: 0.5 },
      { name: 'open', value: 6 },
    ])
  })

  it('keep a factor above 1, a part below 1, and a count whole', ({ expect }) => {
    const valuesOf = (value: number) =>
      changesOf({}, [{ file: 'one.ts', name: 'ONE', value }]).map((change) => change.value)
    expect(valuesOf(1.2)).toEqual([1.1, 1.4])
    expect(valuesOf(0.9)).toEqual([0.8, 0.95])
    expect(valuesOf(0.6)).toEqual([0.3, 0.8])
    expect(valuesOf(5)).toEqual([3, 10])
    expect(valuesOf(3.5)).toEqual([1.75, 7])
  })

  it('reach every option and every named number of soc-lqr', ({ expect }) => {
    const constants = constantsOfLearner()
    const names = new Set(changesOf(SOC_LQR_OPTIONS, constants).map(({ name }) => name))
    for (const option of Object.keys(SOC_LQR_OPTIONS)) expect(names).toContain(option)
    for (const constant of constants) expect(names).toContain(nameOf(constant))
    expect(names).toContain('capacity.CERTAIN')
    expect(constants.length).toBeGreaterThan(20)
  })
})

describe('a constant', () => {
  const source = 'const FEW = 20\n/** A part. */\nexport const PART = 1 / 8\nconst FEWER = FEW\n'

  it('is found in the source of its file', ({ expect }) => {
    expect(constantsIn('one.ts', source)).toEqual([
      { file: 'one.ts', name: 'FEW', value: 20 },
      { file: 'one.ts', name: 'PART', value: 0.125 },
    ])
  })

  it('is changed where it is defined, and nowhere else', ({ expect }) => {
    const changed = withConstant(source, { file: 'one.ts', name: 'PART', value: 0.25 })
    expect(changed).toBe(source.replace('1 / 8', '0.25'))
    expect(() => withConstant(source, { file: 'one.ts', name: 'FEWER', value: 1 })).toThrow(
      'There is no number "FEWER" to change in one.ts',
    )
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
    const change = { name: 'certainty', value: 0.2 }
    const { difference, error, score } = effectOf(change, results(0.7, 0.9), results(0.6, 0.6))
    expect(score).toBeCloseTo(0.8)
    expect(difference).toBeCloseTo(0.2)
    expect(error).toBeCloseTo(0.1)
  })

  it('comes earlier the more its number moves the score', ({ expect }) => {
    const effect = (name: string, value: number, score: number) =>
      effectOf({ name, value }, results(score), results(0.5))
    const sorted = byInfluence([
      effect('certainty', 1, 0.5),
      effect('certainty', 2, 0.6),
      effect('trim', 1, 0.2),
      effect('trim', 2, 0.5),
    ])
    expect(sorted.map(({ name, value }) => `${name} ${value}`)).toEqual([
      'trim 1',
      'trim 2',
      'certainty 1',
      'certainty 2',
    ])
  })
})

describe('sensitivity on two small worlds', () => {
  it('changes the number in the run, and compares with the defaults', async ({ expect }) => {
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
        changes: changesOf({ certainty: SOC_LQR_OPTIONS.certainty }, []),
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
    expect(sensitivityText(outcome!)).toMatch(/^number .*\n\(defaults\) .*\ncertainty +[14] /)
  }, 30_000)

  it('changes a constant in a thread of its own', async ({ expect }) => {
    const world = drawWorld(1, 408)
    const [found] = await runAll([{ kind: 'world-clairvoyants', seed: 1, index: 408 } as const], {
      workers: 0,
    })
    const outcome = await playChanges(
      { run: (_title, jobs) => runAll(jobs, { workers: 1 }) },
      {
        worlds: [world],
        clairvoyants: new Map([[world.name, found!]]),
        oneIsolate: true,
        // Growth of a hundredth of the load where it is known: hardly anybody is admitted.
        changes: changesOf({}, [{ file: 'steer.ts', name: 'MOST_PART', value: 0.01 }]),
      },
    )
    expect(outcome!.effects).toHaveLength(2)
    for (const { share } of outcome!.effects) expect(share).toBeLessThan(outcome!.defaults.share)
  }, 60_000)

  it('says nothing before the defaults are done', async ({ expect }) => {
    const world = drawWorld(1, 408)
    const choice = {
      worlds: [world],
      clairvoyants: new Map(),
      oneIsolate: true,
      changes: [],
    }
    expect(await playChanges({ run: async () => [] }, choice)).toBeNull()
  })
})
