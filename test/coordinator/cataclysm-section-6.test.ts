import { describe, it } from 'vitest'
import {
  batchPolicy,
  CLASSES,
  END_S,
  type Replay,
  replay,
  TARGET_MS,
  thresholdPolicy,
} from '../support/gold-silver-bronze.ts'

/** The admitted part of Gold, Silver and Bronze. */
const parts = (run: Replay, fromS: number, toS: number) =>
  CLASSES.map((name) => run.part(name, fromS, toS)) as [number, number, number]

describe('batch policing of three classes (Cataclysm §6.2, Fig. 3)', () => {
  // Three servers that are full at 60.6 requests/s each: the test itself keeps the SLA, no slack is
  // needed.
  for (const seed of [1, 2]) {
    const run = replay(batchPolicy, { serviceMs: 16.5, seed })

    it(`lets everybody in up to 130 s (seed ${seed})`, ({ expect }) => {
      for (const part of parts(run, 0, 130)) expect(part).toBeGreaterThan(0.995)
    })

    it(`refuses Bronze alone from 130 to 195 s, to about half (seed ${seed})`, ({ expect }) => {
      const [gold, silver, bronze] = parts(run, 130, 195)
      expect(gold).toBeGreaterThan(0.995)
      expect(silver).toBeGreaterThan(0.99)
      // 182 − 50 − 50 = 82 of 160
      expect(Math.abs(bronze - 0.51)).toBeLessThan(0.05)
    })

    it(`lets Bronze drop to nearly nothing while Silver surges at 195 s (seed ${seed})`, ({
      expect,
    }) => {
      const [gold, silver, bronze] = parts(run, 197, 210)
      expect(gold).toBeGreaterThan(0.995)
      expect(silver).toBeGreaterThan(0.88)
      // 182 − 50 − 120 = 12 of 160, and what Silver lacks
      expect(bronze).toBeLessThan(0.2)
    })

    it(`lets only Gold in from 210 s on, 0.9 of its 200/s (seed ${seed})`, ({ expect }) => {
      const [gold, silver, bronze] = parts(run, 212, 390)
      expect(Math.abs(gold - 0.9)).toBeLessThan(0.02)
      expect(silver).toBeLessThan(0.03)
      expect(bronze).toBeLessThan(0.01)
    })

    it(`refuses Bronze alone again when Gold is back at 50/s (seed ${seed})`, ({ expect }) => {
      const [gold, silver, bronze] = parts(run, 395, END_S)
      expect(Math.min(gold, silver)).toBeGreaterThan(0.97)
      expect(Math.abs(bronze - 0.51)).toBeLessThan(0.05)
    })

    it(`keeps the 95th percentile under 1000 ms all the time (seed ${seed})`, ({ expect }) => {
      expect(run.badSpells()).toEqual([])
      expect(run.p95Ms(210, 390)).toBeLessThan(TARGET_MS)
    })
  }
})

describe('threshold policing of the same load (Cataclysm §6.3, Fig. 5)', () => {
  // A threshold needs slack where the draws alone hold it: 60/s are 0.84 of these servers' 71.4/s.
  const slack = { serviceMs: 14, seed: 1 }
  const each15s = replay(thresholdPolicy({ periodS: 15, burst: null }), slack)
  const eachSecond = replay(thresholdPolicy({ periodS: 1, burst: null }), slack)

  it('has two bad spells when recomputed each 15 s: after 130 s, and after 195 and 210 s', ({
    expect,
  }) => {
    const bad = each15s.badSpells()
    expect(bad).toEqual(expect.arrayContaining([130, 135, 140, 145]))
    expect(bad).toEqual(expect.arrayContaining([195, 200, 205, 210, 215, 220]))
    // Between them and after them the threshold is right, and the backlog is worked off.
    expect(bad.filter((fromS) => (fromS >= 175 && fromS < 195) || fromS >= 300)).toEqual([])
  })

  it('has at most five seconds of them left when recomputed each second, with 1.3 s for 1', ({
    expect,
  }) => {
    // Gold's surge is four times the load of the second before, by whose plan its first second is
    // judged.
    for (const seed of [1, 2, 3, 4]) {
      const run = replay(thresholdPolicy({ periodS: 1, burst: null }), { ...slack, seed })
      expect([210], `seed ${seed}`).toEqual(expect.arrayContaining(run.badSpells()))
      expect(run.p95Ms(210, 215), `seed ${seed}`).toBeLessThan(1300)
    }
  })

  it('has none, even at servers without slack, when a bucket holds the room as well', ({
    expect,
  }) => {
    for (const seed of [1, 2, 3]) {
      const policy = thresholdPolicy({ periodS: 1, burst: 45 })
      const run = replay(policy, { serviceMs: 16.5, seed })
      expect(run.badSpells(), `seed ${seed}`).toEqual([])
      const [gold, silver, bronze] = parts(run, 212, 390)
      expect(Math.abs(gold - 0.9), `seed ${seed}`).toBeLessThan(0.01)
      expect(silver, `seed ${seed}`).toBeLessThan(0.01)
      expect(bronze, `seed ${seed}`).toBe(0)
    }
  })

  it('cuts Bronze alone at 130 s, to 80/160, then Silver too at 210 s, and Gold to 0.9', ({
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
