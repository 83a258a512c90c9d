import { describe, it } from 'vitest'
import { CoordinatorCore } from '../../src/coordinator/coordinator-core.ts'
import { RelayCore } from '../../src/coordinator/relay-core.ts'
import type { ReportAnswer } from '../../src/protocol/coordinator-port.ts'
import type { Feedback } from '../../src/protocol/feedback.ts'
import type { OwnLimitPlan } from '../../src/protocol/plan.ts'
import { FakeRuntime } from '../support/fakes.ts'
import { CLASS, feedbackOf, setupOf } from '../support/feedback.ts'
import { type Planned, planOf } from '../support/requests.ts'

const SLA = { percentile: 95, targets: [{ fromRate: 0, targetMs: 3000 }], windowMs: 60_000 }
const SETUP = setupOf({
  routes: {
    shop: {
      granularity: 'request',
      classes: [{ ...CLASS, name: 'search', sla: SLA }, CLASS],
    },
  },
})
const KEY = 'shop/search'

interface Drawn {
  readonly search?: number
  readonly default?: number
  readonly searching?: number
  readonly wantsFor?: string
}

/** A relay whose coordinator says that searches have this limit of their own. */
function relayOf(own: Partial<OwnLimitPlan>, probability = 1, plan: Planned = {}) {
  const clock = new FakeRuntime(0)
  const limit = { drawLimit: null, inFlightCap: null, burst: 3, ...own }
  const classes = { search: { probability, own: limit }, default: {} }
  const coordinator: { answer: ReportAnswer; sent: Feedback[] } = {
    answer: {
      plan: planOf({ ...plan, setup: { id: SETUP.id, sinceMs: 0 }, classes }),
      share: 1,
      own: { [KEY]: { share: 1 } },
    },
    sent: [],
  }
  const core = new RelayCore({
    sender: 'relay',
    now: clock.now,
    sleep: clock.sleep,
    send: async (feedback) => {
      coordinator.sent.push(feedback)
      return coordinator.answer
    },
    warn() {},
  })
  const seqs = new Map<string, number>()
  const report = (sender: string, drawn: Drawn = {}, nowMs = clock.now()) => {
    const seq = (seqs.get(sender) ?? -1) + 1
    seqs.set(sender, seq)
    const { search = 0, default: pages = 0, searching = 0, wantsFor } = drawn
    const counts = {
      search: {
        offered: search,
        admitted: search,
        inFlight: searching,
        served: search,
        latencyUs: search * 50_000,
      },
      default: { offered: pages, admitted: pages },
    }
    const asking = wantsFor === undefined ? {} : { asks: true, wants: true, wantsFor }
    const given = { sender, seq, toMs: nowMs, setup: SETUP }
    const feedback = { ...feedbackOf({ shop: counts }, given), ...asking } as Feedback
    return core.handle(feedback)
  }
  return { clock, coordinator, core, report }
}

const searchOf = ({ own }: ReportAnswer) => own![KEY]!

describe('what a relay lends of the limit of a class that is limited by itself', () => {
  it('is lent apart from the rest, and what other classes admit is not taken from it', async ({
    expect,
  }) => {
    const { clock, report } = relayOf({ drawLimit: 4 }, 1, { drawLimit: 4 })
    await clock.advanceTo(1000)
    for (let i = 0; i < 10; i++) await report(`isolate ${i}`, { default: 1 })
    await clock.advanceTo(1100)
    for (let i = 0; i < 10; i++) await report(`isolate ${i}`, { default: 5 })
    const { lease, own } = await report('isolate 0')
    // Pages have surged. Searches have not.
    expect(lease).toMatchObject({ holds: 'all' })
    expect(own![KEY]!.lease).toMatchObject({ holds: 'asks' })
    expect(own![KEY]!.lease!.load).toBeGreaterThan(0)
  })

  it('shows a surge of that class alone', async ({ expect }) => {
    const { clock, report } = relayOf({ drawLimit: 4 }, 1, { drawLimit: 400 })
    await clock.advanceTo(1000)
    for (let i = 0; i < 10; i++) await report(`isolate ${i}`, { default: 1 })
    await clock.advanceTo(1100)
    for (let i = 0; i < 10; i++) await report(`isolate ${i}`, { search: 5 })
    const answer = await report('isolate 0')
    expect(searchOf(answer).lease).toMatchObject({ holds: 'all' })
    expect(answer.lease).toBeUndefined()
  })

  it('is given to draws of that class one by one, as many as there are: 4/s', async ({
    expect,
  }) => {
    const { clock, report } = relayOf({ drawLimit: 4 }, 0.1)
    let admitted = 0
    let others = 0
    for (let turn = 0; turn < 600; turn++) {
      await clock.advanceTo(1000 + turn * 50)
      const sender = `isolate ${turn % 100}`
      const answer = await report(sender, { default: 1, wantsFor: KEY })
      const { load, asks } = searchOf(answer).lease!
      expect(asks).toBeGreaterThan(0)
      admitted += load
      if (load > 0) await report(sender, { search: load })
      // Whoever asks for another class gets nothing of it.
      const other = await report(`page ${turn % 100}`, { default: 1, wantsFor: 'shop/default' })
      others += searchOf(other).lease!.load
    }
    expect(admitted).toBeGreaterThan(0.9 * 4 * 30)
    // The budget was full: 4 + 2 √4 + 3.
    expect(admitted).toBeLessThanOrEqual(4 * 30 + 11)
    expect(others).toBe(0)
  })

  it('holds its cap on requests in flight by slots of its own', async ({ expect }) => {
    const { clock, report } = relayOf({ inFlightCap: 2 })
    await clock.advanceTo(1000)
    for (let i = 0; i < 100; i++) await report(`isolate ${i}`, { search: 1, searching: 1 })
    await clock.advanceTo(1500)
    for (let i = 0; i < 100; i++) await report(`isolate ${i}`, { search: 1 })
    const asking = [1, 2, 3, 4].map((i) => report(`isolate ${i}`, { search: 1, wantsFor: KEY }))
    await clock.advanceTo(1600)
    const answers = await Promise.all(asking)
    expect(answers.map((answer) => searchOf(answer).lease!.load).toSorted()).toEqual([0, 0, 1, 1])
    for (const answer of answers) expect(searchOf(answer).slots).toBeNull()
    for (const { slots } of answers) expect(slots).toBeUndefined()
  })
})

describe('shares of the limit of a class that is limited by itself', () => {
  it('are parts of the draws of that class', async ({ expect }) => {
    const { clock, report } = relayOf({ drawLimit: 100 }, 0.5)
    await clock.advanceTo(1000)
    await report('a', { default: 30, search: 10 })
    await report('b', { default: 10, search: 30 })
    await clock.advanceTo(2000)
    await report('a', { default: 30, search: 10 })
    await report('b', { default: 10, search: 30 })
    await clock.advanceTo(60_000)
    for (let second = 3; second < 33; second++) {
      await report('a', { default: 30, search: 10 }, second * 1000)
      await report('b', { default: 10, search: 30 }, second * 1000)
    }
    const a = await report('a', { default: 30, search: 10 })
    expect(a.share).toBeCloseTo(0.75, 1)
    expect(searchOf(a).share).toBeCloseTo(0.25, 1)
  })

  it('of data centres come from the coordinator', ({ expect }) => {
    const core = new CoordinatorCore()
    const send = (sender: string, seq: number, search: number, pages: number) => {
      const counts = { search: { offered: search }, default: { offered: pages } }
      const given = { sender, seq, toMs: 1000 * (seq + 1), setup: SETUP }
      return core.handle(feedbackOf({ shop: counts }, given), 1000 * (seq + 1))
    }
    for (let seq = 0; seq < 9; seq++) {
      send('relay a', seq, 90, 10)
      send('relay b', seq, 10, 90)
    }
    const answer = send('relay a', 9, 90, 10)
    expect(answer.share).toBeCloseTo(0.1, 2)
    expect(searchOf(answer).share).toBeCloseTo(0.9, 2)
  })

  it('are those of the shared limit, where a coordinator of before tells none', async ({
    expect,
  }) => {
    const { clock, coordinator, report } = relayOf({ drawLimit: 100 }, 0.5)
    const { own: _, ...before } = coordinator.answer
    coordinator.answer = { ...before, share: 0.5 }
    await clock.advanceTo(1000)
    const answer = await report('a', { search: 10, default: 10 })
    expect(searchOf(answer).share).toBeCloseTo(0.5, 9)
  })
})
