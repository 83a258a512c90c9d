import { describe, it } from 'vitest'
import { CoordinatorCore } from '../../src/coordinator/coordinator-core.ts'
import type { ServersFeedback } from '../../src/protocol/merge-reports.ts'
import { type Counts, feedbackOf, type Given, setupOf } from '../support/feedback.ts'
import { histogramOf } from '../support/histogram.ts'

const FOUR = ['a', 'b', 'c', 'd'].map((name) => ({ url: `http://${name}`, weight: 1 }))
const SETUP: Given = {
  learner: { name: 'lqr', options: {} },
  servers: FOUR,
  routes: { shop: { granularity: 'request' } },
}

const counts = (count: number, ms: number): Counts => ({
  shop: {
    default: {
      ...{ offered: count, admitted: count, requests: count, served: count },
      latency: histogramOf(new Array(count).fill(ms)),
      latencyUs: count * ms * 1000,
    },
  },
})

const ALL_ANSWER = Object.fromEntries(FOUR.map(({ url }) => [url, { tries: 25, failures: 0 }]))
const D_FAILS = { ...ALL_ANSWER, 'http://d': { tries: 5, failures: 5 } }

/** A core that has learned a limit in a minute of 100 requests/s. */
function learned(given: Given = SETUP) {
  let core = new CoordinatorCore()
  let seconds = 0
  const second = (servers: ServersFeedback, ms = 100) => {
    const toMs = ++seconds * 1000
    const report = { seq: seconds, toMs, setup: setupOf(given), servers }
    core.handle(feedbackOf(counts(100, ms), report), toMs)
    return { limit: core.plan!.routes.shop!.limit!, reason: core.plan!.routes.shop!.reason }
  }
  for (let i = 0; i < 60; i++) second(ALL_ANSWER, 100 + (i % 20) * 10)
  const restart = (): void => {
    core = new CoordinatorCore(JSON.parse(JSON.stringify(core.state)))
  }
  return { second, restart, core: () => core }
}

describe('the loss of one of four equal servers', () => {
  it('scales the limit by 3/4, for the reason "capacity", and back when it answers', ({
    expect,
  }) => {
    const { second, core } = learned()
    const { limit: whole } = second(ALL_ANSWER)
    expect(whole).toBeGreaterThan(0)
    const lost = second(D_FAILS)
    expect(lost.reason).toBe('capacity')
    expect(lost.limit / whole).toBeCloseTo(3 / 4, 9)
    expect(core().plan?.down).toEqual(['http://d'])
    expect(core().status()[0]!.down).toEqual(['http://d'])
    const back = second(ALL_ANSWER)
    expect(back.reason).toBe('capacity')
    expect(back.limit / whole).toBeCloseTo(1, 9)
    expect(core().plan).not.toHaveProperty('down')
    expect(core().status()[0]).not.toHaveProperty('down')
  })

  it('is combined with an announcement in the same tick: 3/4 of a half', ({ expect }) => {
    const { second, core } = learned()
    const { limit: whole } = second(ALL_ANSWER)
    core().announce({ before: 2, after: 1 })
    expect(second(D_FAILS).limit / whole).toBeCloseTo(3 / 8, 9)
  })

  it('is announced once, even with a restart in between', ({ expect }) => {
    const { second, restart, core } = learned()
    const { limit: whole } = second(ALL_ANSWER)
    second(D_FAILS)
    restart()
    expect(core().warning).toBeNull()
    expect(core().plan?.down).toEqual(['http://d'])
    const { 'http://d': _, ...others } = ALL_ANSWER
    expect(second(others).reason).not.toBe('capacity')
    restart()
    expect(second(ALL_ANSWER)).toMatchObject({ reason: 'capacity' })
    expect(core().plan!.routes.shop!.limit! / whole).toBeCloseTo(1, 1)
  })
})

describe('the stored health of a pool', () => {
  it('may be absent, as in older states', ({ expect }) => {
    const { poolHealth: _, ...older } = learned().core().state!
    const core = new CoordinatorCore(older)
    expect(core.warning).toBeNull()
    expect(core.plan).not.toHaveProperty('down')
  })

  it('makes the whole state invalid if it is damaged', ({ expect }) => {
    const state = learned().core().state!
    for (const poolHealth of [
      null,
      7,
      {},
      { failures: {} },
      { failures: { 'http://a': -1 }, removed: [] },
      { failures: {}, removed: [7] },
      { failures: { 'http://a': 'five' }, removed: [] },
    ])
      expect(
        new CoordinatorCore({ ...state, poolHealth }).warning,
        JSON.stringify(poolHealth),
      ).toContain('Ignoring the stored state')
  })
})
