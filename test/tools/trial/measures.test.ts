import { describe, it } from 'vitest'
import type { Session } from '../../../tools/crowd/session.ts'
import { bestGoodput } from '../../../tools/trial/best-goodput.ts'
import {
  capacityBetween,
  capacityPerSecond,
  nominalPerSecond,
} from '../../../tools/trial/capacity.ts'
import { isMet, measure } from '../../../tools/trial/measures.ts'
import { type SecondCounts, TrialCounts } from '../../../tools/trial/second-counts.ts'
import type { TrialCase } from '../../../tools/trial/trial-case.ts'

const trial: TrialCase = {
  name: 'test',
  text: '',
  seconds: 60,
  origin: { servers: 4, service: { law: 'exponential', meanMs: 40 } },
  targetMs: 1000,
  crowd: {
    load: [
      { fromS: 0, load: 0.5 },
      { fromS: 20, load: 4 },
    ],
    pages: 5,
    thinkMs: 1000,
    patienceMs: 5000,
  },
}

const second = (changes: Partial<SecondCounts> = {}): SecondCounts => ({
  inSla: 95,
  late: 0,
  abandoned: 0,
  failed: 0,
  refused: 0,
  ...changes,
})

/** 60 seconds, some of them different. */
function seconds(changes: Readonly<Record<number, Partial<SecondCounts>>>): SecondCounts[] {
  return Array.from({ length: 60 }, (_, i) => second(changes[i]))
}

describe('the capacity of a trial', () => {
  it('is that of its servers', ({ expect }) => {
    expect(nominalPerSecond(trial.origin)).toBe(100)
    expect(capacityBetween(trial, 30, 60)).toBeCloseTo(3000)
  })

  it('follows the changes of servers and speed', ({ expect }) => {
    const changes = [
      { atS: 10, servers: 2 },
      { atS: 40, servers: 4 },
      { atS: 50, speed: 0.5 },
    ]
    const changed = { ...trial, origin: { ...trial.origin, changes } }
    expect(capacityBetween(changed, 30, 60)).toBeCloseTo(10 * 50 + 10 * 100 + 10 * 50)
    expect(capacityBetween(changed, 55, 60)).toBeCloseTo(5 * 50)
  })

  it('is calibrated where an origin thrashes: less than its servers give', ({ expect }) => {
    const thrashing = { above: 8, double: 16, most: 4 }
    const origin = { ...trial.origin, discipline: 'sharing', thrashing } as const
    const best = capacityPerSecond({ ...trial, origin, capacity: 'calibrated' })
    expect(best).toBeGreaterThan(60)
    expect(best).toBeLessThan(90)
  })
})

describe('the best goodput', () => {
  it('is what the servers give where single requests are held at a constant number', ({
    expect,
  }) => {
    const crowd = { ...trial.crowd, pages: 1, thinkMs: 0 }
    const best = bestGoodput({ ...trial, crowd })
    expect(Math.abs(best / 100 - 0.99)).toBeLessThan(0.03)
  })

  it('is lower with a tighter target', ({ expect }) => {
    const best = [1000, 300, 150].map((targetMs) => bestGoodput({ ...trial, targetMs }))
    expect(best).toEqual(best.toSorted((a, b) => b - a))
    expect(best[2]).toBeLessThan(0.95 * best[0]!)
  })
})

describe('the figures of a trial', () => {
  it('leave out what happens before 10 s after the onset, except violations', ({ expect }) => {
    const bad = { inSla: 0, late: 100 }
    expect(measure(trial, seconds({ 5: bad, 21: bad, 22: bad }))).toMatchObject({
      share: expect.closeTo(0.95),
      lateShare: 0,
      violationS: 2,
      drainS: 3,
    })
  })

  it('count late, failed and given up as late', ({ expect }) => {
    const all = Object.fromEntries(
      Array.from({ length: 60 }, (_, i) => [i, { inSla: 90, late: 4, abandoned: 3, failed: 3 }]),
    )
    const { share, lateShare, failed } = measure(trial, seconds(all))
    expect([share, lateShare, failed]).toEqual([expect.closeTo(0.9), expect.closeTo(0.1), 120])
  })

  it('count refusals and failures from the onset on', ({ expect }) => {
    const some = { refused: 7, failed: 1 }
    const { refused, failed } = measure(trial, seconds({ 19: some, 20: some, 59: some }))
    expect([refused, failed]).toEqual([14, 2])
  })

  it('do not take chance for a violation: 8 of 100 may happen, 9 are too many', ({ expect }) => {
    const few = { inSla: 92, late: 8 }
    const many = { inSla: 91, late: 9 }
    expect(measure(trial, seconds({ 30: few, 40: few })).violationS).toBe(0)
    expect(measure(trial, seconds({ 30: many, 40: many })).violationS).toBe(2)
  })

  it('say when the backlog of the onset is gone: before three good seconds', ({ expect }) => {
    const bad = { inSla: 10, late: 90 }
    expect(measure(trial, seconds({})).drainS).toBe(0)
    expect(measure(trial, seconds({ 45: bad })).drainS).toBe(0)
    expect(measure(trial, seconds({ 22: bad, 24: bad, 25: bad })).drainS).toBe(6)
    const always = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [i, bad]))
    expect(measure(trial, seconds(always)).drainS).toBeNull()
  })
})

describe('the goal of a trial', () => {
  it('is met with a share of 0.9 and no more late than the SLA allows', ({ expect }) => {
    expect(isMet(trial, { share: 0.9, lateShare: 0.05 })).toBe(true)
    expect(isMet(trial, { share: 0.899, lateShare: 0 })).toBe(false)
    expect(isMet(trial, { share: 1, lateShare: 0.051 })).toBe(false)
    const other = { ...trial, goal: 0.85, percentile: 99 }
    expect(isMet(other, { share: 0.85, lateShare: 0.01 })).toBe(true)
    expect(isMet(other, { share: 0.85, lateShare: 0.02 })).toBe(false)
  })

  it('is not met once a session was cut', ({ expect }) => {
    expect(isMet(trial, { share: 1, lateShare: 0, cut: 0 })).toBe(true)
    expect(isMet(trial, { share: 1, lateShare: 0, cut: 1 })).toBe(false)
  })
})

describe('the counts of a trial', () => {
  it('are by the second of the answer, and know sessions that were cut', ({ expect }) => {
    let nowMs = 0
    const counts = new TrialCounts(1000, () => nowMs)
    const pages = [
      { kind: 'page', path: '/page/0' },
      { kind: 'page', path: '/page/1' },
    ]
    const session: Session = { atMs: 0, pages, thinkMs: [0, 0] }
    const other: Session = { ...session }
    for (const one of [session, other]) counts.arrive(one)
    counts.serve({ session, page: 0, sentMs: 0 }, 200)
    counts.lose({ session: other, page: 0, sentMs: 0 }, 'refused', '')
    nowMs = 2500
    counts.lose({ session, page: 1, sentMs: 1000 }, 'refused', '')
    counts.lose({ session, page: 1, sentMs: 2000 }, 'refused', '')
    counts.serve({ session: other, page: 0, sentMs: 1000 }, 1500)
    expect(counts.bySecond(3)).toEqual([
      second({ inSla: 1, refused: 1 }),
      second({ inSla: 0 }),
      second({ inSla: 0, late: 1, refused: 2 }),
    ])
    expect(counts.cut).toBe(1)
    expect(counts.parts).toEqual({ page: { sessions: 2, admitted: 2, inSla: 1 } })
    counts.serve({ session, page: 1, sentMs: 2000 }, 100)
    expect(counts.parts).toEqual({ page: { sessions: 2, admitted: 2, inSla: 2 } })
  })

  it('say why requests failed, and how many were not sent', ({ expect }) => {
    const counts = new TrialCounts(1000, () => 0)
    const session: Session = { atMs: 0, pages: [{ kind: 'page', path: '/' }], thinkMs: [0] }
    const request = { session, page: 0, sentMs: 0 }
    for (const code of ['HTTP 500', 'HTTP 500', 'ECONNRESET']) counts.lose(request, 'failed', code)
    counts.lose(request, 'abandoned', '')
    counts.drop()
    expect(counts.failures).toEqual({ 'HTTP 500': 2, ECONNRESET: 1 })
    expect(counts.dropped).toBe(1)
    expect(counts.bySecond(1)).toEqual([second({ inSla: 0, failed: 3, abandoned: 1 })])
  })
})
