import { describe, it } from 'vitest'
import { END_S, OVERLOAD } from '../../lab/experiments/cataclysm-overload.ts'
import { batchPolicer, thresholdPolicer } from '../../lab/experiments/cataclysm-policers.ts'
import {
  CLASSES,
  type Policer,
  runSite,
  type Site,
  type SiteLog,
  TARGET_MS,
} from '../../lab/experiments/cataclysm-site.ts'

/** The admitted share of Gold, Silver and Bronze. */
const parts = (run: SiteLog, fromS: number, toS: number) =>
  CLASSES.map((_, rank) => run.part(rank, fromS, toS)) as [number, number, number]

const replay = (
  policer: (site: Site) => Policer,
  options: { serviceMs: number; seed: number },
): SiteLog => runSite({ ...OVERLOAD, ...options, policer }).log

describe('batch policing of three classes (Urgaonkar and Shenoy 2005, §6.2, Fig. 3)', () => {
  // Three servers that are full at 60.6 requests/s each. The batch test itself keeps the SLA, so it
  // needs no slack.
  for (const seed of [1, 2]) {
    const run = replay(batchPolicer, { serviceMs: 16.5, seed })

    it(`admits all requests up to 130 s (seed ${seed})`, ({ expect }) => {
      for (const part of parts(run, 0, 130)) expect(part).toBeGreaterThan(0.995)
    })

    it(`refuses only Bronze from 130 to 195 s, to about half (seed ${seed})`, ({ expect }) => {
      const [gold, silver, bronze] = parts(run, 130, 195)
      expect(gold).toBeGreaterThan(0.995)
      expect(silver).toBeGreaterThan(0.99)
      // 182 − 50 − 50 = 82 of 160
      expect(Math.abs(bronze - 0.51)).toBeLessThan(0.05)
    })

    it(`cuts Bronze to nearly nothing while Silver surges at 195 s (seed ${seed})`, ({
      expect,
    }) => {
      const [gold, silver, bronze] = parts(run, 197, 210)
      expect(gold).toBeGreaterThan(0.995)
      expect(silver).toBeGreaterThan(0.88)
      // 182 − 50 − 120 = 12 of 160, plus what Silver does not use
      expect(bronze).toBeLessThan(0.2)
    })

    it(`admits only Gold from 210 s on, 0.9 of its 200/s (seed ${seed})`, ({ expect }) => {
      const [gold, silver, bronze] = parts(run, 212, 390)
      expect(Math.abs(gold - 0.9)).toBeLessThan(0.02)
      expect(silver).toBeLessThan(0.03)
      expect(bronze).toBeLessThan(0.01)
    })

    it(`refuses only Bronze again when Gold is back at 50/s (seed ${seed})`, ({ expect }) => {
      const [gold, silver, bronze] = parts(run, 395, END_S)
      expect(Math.min(gold, silver)).toBeGreaterThan(0.97)
      expect(Math.abs(bronze - 0.51)).toBeLessThan(0.05)
    })

    it(`keeps the 95th percentile under 1000 ms all the time (seed ${seed})`, ({ expect }) => {
      expect(run.slowStretches()).toEqual([])
      expect(run.p95Ms(210, 390)).toBeLessThan(TARGET_MS)
    })
  }
})

describe('threshold policing of the same load (Urgaonkar and Shenoy 2005, §6.3, Fig. 5)', () => {
  // A threshold enforced by draws only needs slack: 60/s are 0.84 of these servers' 71.4/s.
  const slack = { serviceMs: 14, seed: 1 }
  const each15s = replay(thresholdPolicer({ periodS: 15, burst: null }), slack)
  const eachSecond = replay(thresholdPolicer({ periodS: 1, burst: null }), slack)

  it('is too slow twice when recomputed every 15 s: after 130 s, and after 195 and 210 s', ({
    expect,
  }) => {
    const bad = each15s.slowStretches()
    expect(bad).toEqual(expect.arrayContaining([130, 135, 140, 145]))
    expect(bad).toEqual(expect.arrayContaining([195, 200, 205, 210, 215, 220]))
    // Between and after them the threshold is right, and the backlog shrinks.
    expect(bad.filter((fromS) => (fromS >= 175 && fromS < 195) || fromS >= 300)).toEqual([])
  })

  it('is too slow for at most five seconds when recomputed every second, with 1.3 s instead of 1 s', ({
    expect,
  }) => {
    // Gold's surge is four times the load of the second before. The plan of that second still
    // applies in its first second.
    for (const seed of [1, 2, 3, 4]) {
      const run = replay(thresholdPolicer({ periodS: 1, burst: null }), { ...slack, seed })
      expect([210], `seed ${seed}`).toEqual(expect.arrayContaining([...run.slowStretches()]))
      expect(run.p95Ms(210, 215), `seed ${seed}`).toBeLessThan(1300)
    }
  })

  it('is never too slow with a token bucket, even on servers without slack', ({ expect }) => {
    for (const seed of [1, 2, 3]) {
      const policy = thresholdPolicer({ periodS: 1, burst: 45 })
      const run = replay(policy, { serviceMs: 16.5, seed })
      expect(run.slowStretches(), `seed ${seed}`).toEqual([])
      const [gold, silver, bronze] = parts(run, 212, 390)
      expect(Math.abs(gold - 0.9), `seed ${seed}`).toBeLessThan(0.01)
      expect(silver, `seed ${seed}`).toBeLessThan(0.01)
      expect(bronze, `seed ${seed}`).toBe(0)
    }
  })

  it('cuts only Bronze at 130 s, to 80/160, then Silver too at 210 s, and Gold to 0.9', ({
    expect,
  }) => {
    const [, , bronze] = parts(eachSecond, 132, 195)
    expect(Math.abs(bronze - 0.5)).toBeLessThan(0.02)
    expect(Math.min(...parts(eachSecond, 132, 195).slice(0, 2))).toBeGreaterThan(0.995)
    const [gold, silver, none] = parts(eachSecond, 212, 390)
    expect(Math.abs(gold - 0.9)).toBeLessThan(0.01)
    expect(silver).toBeLessThan(0.01)
    expect(none).toBe(0)
  })
})
