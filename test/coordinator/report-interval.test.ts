import { describe, it } from 'vitest'
import { CoordinatorCore } from '../../src/coordinator/coordinator-core.ts'
import { RelayCore } from '../../src/coordinator/relay-core.ts'
import type { ReportAnswer } from '../../src/protocol/coordinator-port.ts'
import type { Feedback } from '../../src/protocol/feedback.ts'
import { FakeRuntime } from '../support/fakes.ts'
import { feedbackOf, setupOf } from '../support/feedback.ts'
import { type Planned, planOf } from '../support/requests.ts'

const report = (sender: string, seq: number, toMs: number): Feedback =>
  feedbackOf(
    { shop: { default: { offered: 1 } } },
    { sender, seq, toMs, lengthMs: 250, setup: setupOf() },
  )

/** A relay in simulated time, and the times at which it has reported. */
function relayOf(everyMs?: number, planned: Planned = {}) {
  const clock = new FakeRuntime(1000)
  const sent: number[] = []
  const coordinator = { isDown: false }
  const core = new RelayCore({
    ...{ sender: 'relay', now: clock.now, sleep: clock.sleep, warn: () => {} },
    send: async ({ toMs }): Promise<ReportAnswer> => {
      sent.push(toMs)
      if (coordinator.isDown) throw new Error('not now')
      const plan = planOf({ ...planned, setup: { id: 'a setup', sinceMs: 0 } })
      return { plan, share: 1, ...(everyMs === undefined ? {} : { everyMs }) }
    },
  })
  let seq = 0
  /** Reports of so many isolates every 50 ms. The last answer; null: it was an error. */
  const runFor = async (ms: number, isolates = 5): Promise<ReportAnswer | null> => {
    let answer: ReportAnswer | null = null
    const endMs = clock.now() + ms
    while (clock.now() < endMs) {
      for (let i = 0; i < isolates; i++)
        answer = await core.handle(report(`isolate ${i}`, seq, clock.now())).catch(() => null)
      seq++
      await clock.advance(50)
    }
    return answer
  }
  const gaps = () => new Set(sent.slice(1).map((ms, i) => ms - sent[i]!))
  return { core, clock, sent, coordinator, runFor, gaps }
}

describe('a relay', () => {
  it('asks its isolates for at most 100 reports a second', async ({ expect }) => {
    for (const [isolates, everyMs] of [
      [1, 250],
      [50, 500],
      [200, 1000],
    ] as const)
      expect((await relayOf().runFor(100, isolates))?.everyMs).toBe(everyMs)
  })

  it('says nothing in calm', async ({ expect }) => {
    const answer = await relayOf(undefined, { calmMs: 5000 }).runFor(100)
    expect(answer?.plan?.calmMs).toBe(5000)
    expect(answer).not.toHaveProperty('everyMs')
  })

  it('leaves an isolate whose draws ask one by one at a report a second', async ({ expect }) => {
    const { runFor } = relayOf(250, { drawLimit: 1, classes: { default: { probability: 0.01 } } })
    const answer = await runFor(5000)
    expect(answer?.lease?.asks).toBeGreaterThan(0)
    expect(answer).not.toHaveProperty('everyMs')
  })

  it('asks the relays of its region by their number, not as it was asked itself', async ({
    expect,
  }) => {
    const { core } = relayOf(1000)
    const answer = await core.handle({ ...report('relay of BER', 0, 1000), isolates: 500 })
    expect(answer.everyMs).toBe(250)
  })

  it('reports after 0.9 of the time that it was told, and otherwise of a second', async ({
    expect,
  }) => {
    for (const [everyMs, gapMs] of [
      [250, 225],
      [500, 450],
      [undefined, 900],
    ] as const) {
      const relay = relayOf(everyMs)
      await relay.runFor(5000)
      expect(relay.gaps()).toEqual(new Set([gapMs]))
    }
  })

  it('reports about once a second while the coordinator does not answer', async ({ expect }) => {
    const { runFor, sent, coordinator, gaps } = relayOf(250)
    await runFor(2000)
    coordinator.isDown = true
    await runFor(1000)
    sent.splice(0)
    await runFor(5000)
    expect(gaps()).toEqual(new Set([900]))
  })

  it('is cut off after three failures about a second apart, also if more reports fail', async ({
    expect,
  }) => {
    const { runFor, coordinator, sent } = relayOf(250, { goodForMs: 60_000 })
    await runFor(1000)
    coordinator.isDown = true
    sent.splice(0)
    expect(await runFor(1700)).not.toBeNull()
    expect(await runFor(500)).toBeNull()
  })
})

describe('a coordinator', () => {
  const answerAt = (core: CoordinatorCore, senders: number): ReportAnswer => {
    let answer: ReportAnswer = { plan: null, share: 0 }
    for (let i = 0; i < senders; i++) answer = core.handle(report(`relay ${i}`, 0, 1000), 1000)
    return answer
  }

  it('asks those who report to it for at most 100 reports a second', ({ expect }) => {
    for (const [senders, everyMs] of [
      [1, 250],
      [50, 500],
      [300, 1000],
    ] as const)
      expect(answerAt(new CoordinatorCore(), senders).everyMs).toBe(everyMs)
  })

  it('says nothing in calm', ({ expect }) => {
    const core = new CoordinatorCore()
    const setup = setupOf()
    const counts = { shop: { default: { offered: 2, admitted: 2, requests: 2, served: 2 } } }
    const answers = Array.from({ length: 40 }, (_, seq) =>
      core.handle(feedbackOf(counts, { seq, toMs: seq * 1000, setup }), seq * 1000),
    )
    expect(answers[5]).toMatchObject({ everyMs: 250 })
    expect(answers.at(-1)!.plan!.calmMs).toBeDefined()
    expect(answers.at(-1)).not.toHaveProperty('everyMs')
  })
})
