import { readFileSync } from 'node:fs'
import { beforeAll, describe, it } from 'vitest'
import { END_S } from '../../lab/experiments/cataclysm-overload.ts'
import {
  CLASSES,
  type SiteLog,
  STRETCH_S,
  TARGET_MS,
} from '../../lab/experiments/cataclysm-site.ts'
import { type GateReplayOptions, replayAtGate } from '../support/gate-replay.ts'

/** The admitted share of Gold, Silver and Bronze. */
const parts = (run: SiteLog, fromS: number, toS: number) =>
  CLASSES.map((_, rank) => run.part(rank, fromS, toS)) as [number, number, number]

/** 70,000 requests through the whole gate take time on a busy machine. */
const PATIENCE_MS = 60_000

/** Three servers that are full at 60.6 requests/s each; the learner's limit is 60 each. */
const SITE = { serviceMs: 16.5, seed: 1 }

type Policing = Omit<GateReplayOptions, keyof typeof SITE>

const played = new Map<string, Promise<SiteLog>>()

/** Several tests look at the same run. */
function play({ police, limit = 180, isolates = 1 }: Policing): Promise<SiteLog> {
  const key = `${police} ${limit} ${isolates}`
  const run = played.get(key) ?? replayAtGate({ ...SITE, police, limit, isolates })
  played.set(key, run)
  return run
}

const GATES: readonly (readonly [string, Policing])[] = [
  ['thresholds', { police: 'threshold' }],
  ['thresholds, in four isolates', { police: 'threshold', isolates: 4 }],
  ['batches', { police: 'batch' }],
  ['batches, in four isolates', { police: 'batch', isolates: 4 }],
  ['either, depending on the rate', { police: 'auto' }],
]

describe.for(GATES)(
  'Urgaonkar and Shenoy 2005, §6.2 and §6.3, through gate and coordinator, by %s',
  ([, options]) => {
    let run: SiteLog
    beforeAll(async () => {
      run = await play(options)
    }, PATIENCE_MS)
    // An isolate with a quarter of the traffic also sees random bursts.
    const slack = options.isolates === undefined ? 0 : 1

    it('admits nearly all requests up to 130 s', ({ expect }) => {
      const [gold, silver, bronze] = parts(run, 0, 130)
      expect(Math.min(gold, silver)).toBeGreaterThan(0.99)
      expect(bronze).toBeGreaterThan(0.99 - 0.03 * slack)
    })

    it('cuts only Bronze from 130 to 195 s, to about half', ({ expect }) => {
      const [gold, silver, bronze] = parts(run, 130, 195)
      expect(gold).toBeGreaterThan(0.99)
      expect(silver).toBeGreaterThan(0.99 - 0.01 * slack)
      // 180 − 50 − 50 = 80 of 160
      expect(Math.abs(bronze - 0.5)).toBeLessThan(0.03)
    })

    it('cuts Bronze to nearly nothing while Silver surges at 195 s', ({ expect }) => {
      const [gold, silver, bronze] = parts(run, 197, 210)
      expect(gold).toBeGreaterThan(0.99)
      expect(silver).toBeGreaterThan(0.95 - 0.08 * slack)
      expect(bronze).toBeLessThan(0.15 + 0.05 * slack)
    })

    it('admits only Gold from 210 s on, 0.9 of its 200/s', ({ expect }) => {
      const [gold, silver, bronze] = parts(run, 212, 390)
      // The batch test leaves a little of the servers idle, more or less by chance.
      expect(Math.abs(gold - 0.9)).toBeLessThan(options.police === 'threshold' ? 0.01 : 0.025)
      expect(silver).toBeLessThan(0.01)
      expect(bronze).toBeLessThan(0.001)
    })

    it('cuts only Bronze again when Gold is back at 50/s', ({ expect }) => {
      const [gold, silver, bronze] = parts(run, 395, END_S)
      expect(gold).toBeGreaterThan(0.99)
      expect(silver).toBeGreaterThan(0.99 - 0.02 * slack)
      expect(Math.abs(bronze - 0.5)).toBeLessThan(0.03)
    })

    it('keeps the 95th percentile under 1000 ms in all stretches of five seconds', ({ expect }) => {
      expect(run.slowStretches()).toEqual([])
    })
  },
)

describe('docs/policing.md', { timeout: PATIENCE_MS }, () => {
  const page = readFileSync(new URL('../../docs/policing.md', import.meta.url), 'utf8')
  const rows = [...page.matchAll(/^\| `"(threshold|batch)"` \| (\d+) \| (.*) ms \|$/gm)]

  it('has a table of four rows', ({ expect }) => {
    expect(rows).toHaveLength(4)
  })

  it.for(rows)('%s', async ([, police, limit, cells], { expect }) => {
    const run = await play({
      police: police as 'threshold' | 'batch',
      limit: Number(limit),
    })
    const said = cells!.split(' | ').map(Number)
    const p95s = run.stretches().map((fromS) => run.p95Ms(fromS, fromS + STRETCH_S))
    const [, silver, bronze] = parts(run, 130, 195)
    const [gold, silverLater] = parts(run, 212, 390)
    const found = [bronze, silver, gold, silverLater]
    for (const [i, part] of found.entries()) expect(Math.abs(part - said[i]!)).toBeLessThan(0.01)
    expect(Math.abs(Math.max(...p95s) / said[4]! - 1)).toBeLessThan(0.05)
  })
})

describe('when the learner wrongly assumes 200/s instead of 182', { timeout: PATIENCE_MS }, () => {
  const limit = 200

  it('thresholds let a backlog of minutes build up', async ({ expect }) => {
    const run = await play({ police: 'threshold', limit })
    expect(run.p95Ms(130, 195)).toBeGreaterThan(10 * TARGET_MS)
    expect(run.p95Ms(210, 390)).toBeGreaterThan(30 * TARGET_MS)
  })

  for (const isolates of [1, 4])
    it(`batches keep the 95th percentile under 1000 ms all the time, in ${isolates} isolates`, async ({
      expect,
    }) => {
      const run = await play({ police: 'batch', limit, isolates })
      expect(run.slowStretches()).toEqual([])
      const [gold, silver, bronze] = parts(run, 132, 195)
      expect(Math.min(gold, silver)).toBeGreaterThan(0.97)
      // The test leaves less than a tenth of the servers idle: 182 − 100 = 82 of 160.
      expect(bronze).toBeGreaterThan(0.45)
      const [alone, ...others] = parts(run, 212, 390)
      expect(Math.abs(alone - 0.9)).toBeLessThan(0.02)
      expect(Math.max(...others)).toBeLessThan(0.05)
    })
})
