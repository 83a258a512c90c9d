import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'vitest'
import { runAll } from '../../../lab/jobs/run-all.ts'
import { drawWorld } from '../../../lab/worlds/draw-world.ts'
import { LOOKS_FILE, LOOKS_HEAD, lookLine, recordLooks } from '../../../lab/worlds/looks.ts'
import { rowOf, rowsFor, runsFor } from '../../../lab/worlds/policies.ts'
import { resultOf, summaryOf, type WorldResult } from '../../../lab/worlds/result.ts'
import { kindsText, summaryText, worldsJson, worldsText } from '../../../lab/worlds/texts.ts'

const reached = (inSlaValue: number, windowsMissed: number) => ({
  inSlaValue,
  windows: 4,
  windowsMissed,
})
const clairvoyants = { constant: reached(100, 1), varying: { ...reached(120, 0), factors: [] } }

describe('a result', () => {
  it('is the share of the clairvoyant, cut at 1, and what was missed beyond it', ({ expect }) => {
    expect(resultOf('1.0', 'p', reached(80, 3), clairvoyants)).toMatchObject({
      share: 0.8,
      violations: 0.5,
      score: 0.4,
    })
    expect(resultOf('1.0', 'p', reached(110, 0), clairvoyants)).toMatchObject({
      share: 1,
      uncut: 1.1,
      violations: 0,
    })
  })

  it('knows the clairvoyant that varies, too, and is no worse where neither reaches anything', ({
    expect,
  }) => {
    expect(resultOf('1.0', 'p', reached(90, 1), clairvoyants).ofVarying).toBe(0.75)
    const nothing = { constant: reached(0, 4), varying: { ...reached(0, 4), factors: [] } }
    expect(resultOf('1.0', 'p', reached(0, 4), nothing)).toMatchObject({
      share: 1,
      ofVarying: 1,
      violations: 0,
    })
  })
})

const result = (policy: string, world: string, share: number): WorldResult => ({
  policy,
  world,
  share,
  uncut: share,
  ofVarying: share,
  violations: 0,
  score: share,
})

describe('a summary', () => {
  it('has the mean, the tenth percentile and the worst with its name', ({ expect }) => {
    const results = Array.from({ length: 20 }, (_, i) => result('p', `1.${i}`, 1 - i / 20))
    expect(summaryOf(results).worstWorld).toBe('1.19')
    expect(summaryOf(results).tenth).toBeCloseTo(0.1)
    expect(summaryOf(results).worst).toBeCloseTo(0.05)
    expect(summaryOf(results).share).toBeCloseTo(0.525)
    expect(summaryOf(results.slice(0, 10)).tenth).toBeCloseTo(0.55)
    expect(summaryOf(results.slice(0, 11)).tenth).toBeCloseTo(0.55)
    const missed = results.map((one, i) => ({ ...one, violations: i / 20, ofVarying: 0.5 }))
    expect(summaryOf(missed)).toMatchObject({ ofVarying: 0.5, violations: expect.closeTo(0.475) })
  })

  it('takes the best of a rival by score over all worlds', ({ expect }) => {
    const [row = ''] = rowsFor(['netflix-aimd (best)'])
    const [defaults = '', other = ''] = runsFor(row)
    const results = [result(defaults, '1.0', 0.5), result(other, '1.0', 0.7)]
    expect(rowOf(row, results)).toMatchObject({ name: row, policy: other })
    expect(rowsFor(['rivals'])).toContain('none')
  })
})

describe('the record of looks', () => {
  it('has a line for each policy, and none for seeds of development', async ({ expect }) => {
    const folder = await mkdtemp(join(tmpdir(), 'tidegate-looks-'))
    const file = join(folder, 'looks.csv')
    const look = { date: '2026-09-30', policy: 'p', results: [result('p', '1.0', 0.5)] }
    await recordLooks(
      [
        { ...look, seed: 999 },
        { ...look, seed: 1000 },
      ],
      file,
    )
    expect(await readFile(file, 'utf8')).toBe(`${lookLine({ ...look, seed: 1000 })}\n`)
    await rm(folder, { recursive: true })
    expect(lookLine({ ...look, seed: 1000 })).toBe('2026-09-30,1000,1,"p",0.500,0.500,0.500,0.000')
  })

  it('is a table of reports, which begins with its head', async ({ expect }) => {
    const [head, ...lines] = (await readFile(LOOKS_FILE, 'utf8')).trimEnd().split('\n')
    expect(head).toBe(LOOKS_HEAD)
    expect(lines.length).toBeGreaterThan(0)
    for (const line of lines) {
      expect(line).toMatch(/^\d{4}-\d\d-\d\d,[1-9]\d{3,},\d+,"[^"]+"(,[01]\.\d{3}){4}$/)
    }
  })
})

describe('one small world from its clairvoyants to the tables', () => {
  it('is the same in every run', async ({ expect }) => {
    // A small origin without troubles: quick to calibrate.
    const index = 1641
    const world = drawWorld(1, index)
    const [found] = await runAll([{ kind: 'world-clairvoyants', seed: 1, index } as const], {
      workers: 0,
    })
    const { best, constant, varying } = found!
    expect(constant.inSlaValue).toBeGreaterThan(0)
    const job = { kind: 'world', seed: 1, index, best, oneIsolate: false } as const
    const [own, again, none] = await runAll(
      ['soc-lqr', 'soc-lqr', 'none'].map((policy) => ({ ...job, policy })),
      { workers: 0 },
    )
    expect(again).toEqual(own)
    expect(world.edge.isolates).toBeGreaterThan(1)
    const alone = { ...job, policy: 'soc-lqr', oneIsolate: true }
    const [behindOne] = await runAll([alone], { workers: 0 })
    expect(behindOne).not.toEqual(own)
    const results = [
      resultOf(world.name, 'soc-lqr', own!, { constant, varying }),
      resultOf(world.name, 'none', none!, { constant, varying }),
    ]
    expect(results[0]!.share).toBeGreaterThan(results[1]!.share)
    const outcome = {
      worlds: [world],
      clairvoyants: new Map([[world.name, found!]]),
      rows: ['soc-lqr', 'none'].flatMap((name) => rowOf(name, results) ?? []),
      complete: true,
    }
    expect(summaryText(outcome)).toContain('Worst worlds of soc-lqr')
    expect(kindsText(outcome)).toContain('granularity: requests')
    expect(worldsText(outcome)).toContain('1.1641: ')
    const nothing = { ...found!, constant: reached(0, 4), varying: found!.varying }
    const barren = { ...outcome, clairvoyants: new Map([[world.name, nothing]]) }
    expect(`${worldsText(barren)}${summaryText(barren)}`).not.toMatch(/NaN|Infinity/)
    expect(Object.keys(worldsJson(outcome).policies)).toEqual(['soc-lqr', 'none'])
  })
})
