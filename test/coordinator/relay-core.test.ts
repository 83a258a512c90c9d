import { describe, it } from 'vitest'
import { RelayCore } from '../../src/coordinator/relay-core.ts'
import type { ReportAnswer } from '../../src/protocol/coordinator-port.ts'
import type { Feedback } from '../../src/protocol/feedback.ts'
import { isFeedback } from '../../src/protocol/feedback-schema.ts'
import { FakeRuntime } from '../support/fakes.ts'
import { feedbackOf, setupOf } from '../support/feedback.ts'
import { planOf } from '../support/requests.ts'

const report = (sender: string, seq: number, toMs: number, offered = 0, setup = setupOf()) =>
  feedbackOf({ shop: { default: { offered, inFlight: 2 } } }, { sender, seq, toMs, setup })

const answer = (setup = { id: 'a setup', sinceMs: 0 }, share = 1): ReportAnswer => ({
  plan: planOf({ setup }),
  share,
})

const UNREACHABLE = new Error('not now')

/** A relay in simulated time. It records what it sends, and gets the answer that a test sets. */
function relayOf() {
  const clock = new FakeRuntime(0)
  const sent: Feedback[] = []
  const warnings: unknown[] = []
  const coordinator: { answer: ReportAnswer | Error } = { answer: { plan: null, share: 0 } }
  const core = new RelayCore({
    sender: 'relay',
    now: clock.now,
    sleep: clock.sleep,
    send: async (feedback) => {
      sent.push(feedback)
      if (coordinator.answer instanceof Error) throw coordinator.answer
      return coordinator.answer
    },
    warn: (error) => warnings.push(error),
  })
  const runTo = (ms: number) => clock.advanceTo(ms)
  const handleAt = async (ms: number, feedback: unknown) => {
    await runTo(ms)
    return core.handle(feedback)
  }
  return { sent, warnings, coordinator, runTo, handleAt }
}

describe('a relay’s report to the coordinator', () => {
  it('goes out at once for the first report, then about once a second', async ({ expect }) => {
    const { sent, runTo, handleAt } = relayOf()
    await handleAt(1000, report('a', 0, 1000))
    expect(sent).toHaveLength(1)
    await handleAt(1300, report('b', 0, 1300))
    await runTo(1899)
    expect(sent).toHaveLength(1)
    await runTo(1900)
    expect(sent).toHaveLength(2)
    await handleAt(5000, report('a', 1, 5000))
    expect(sent.map(({ toMs }) => toMs)).toEqual([1000, 1900, 5000])
  })

  it('adds up the reports of its isolates', async ({ expect }) => {
    const { sent, runTo, handleAt } = relayOf()
    await handleAt(1000, report('a', 0, 1000, 10))
    await handleAt(1100, report('a', 1, 1100, 10))
    await handleAt(1200, report('b', 0, 1200, 5))
    await runTo(2000)
    expect(sent.every(isFeedback)).toBe(true)
    expect(sent).toMatchObject([
      { seq: 0, routes: { shop: { classes: { default: { offered: 10, inFlight: 2 } } } } },
      { seq: 1, routes: { shop: { classes: { default: { offered: 15, inFlight: 4 } } } } },
    ])
    expect(sent[0]).toMatchObject({
      ...{ origin: 'origin', sender: 'relay', fromMs: 0, toMs: 1000 },
      setup: { id: 'a setup' },
    })
  })

  it('has each draw once', async ({ expect }) => {
    const { sent, handleAt } = relayOf()
    for (const i of [0, 1, 2]) await handleAt((i + 1) * 1000, report('a', i, (i + 1) * 1000, 10))
    expect(sent.map(({ seq }) => seq)).toEqual([0, 1, 2])
    for (const { routes } of sent) expect(routes.shop!.classes.default!.offered).toBe(10)
  })

  it('adds up what isolates saw of the servers, and has no servers if they saw none', async ({
    expect,
  }) => {
    const { sent, runTo, handleAt } = relayOf()
    const seen = (tries: number, failures: number) => ({ 'http://a': { tries, failures } })
    await handleAt(1000, report('a', 0, 1000))
    expect(sent[0]).not.toHaveProperty('servers')
    await handleAt(1100, feedbackOf({}, { sender: 'a', seq: 1, servers: seen(3, 0) }))
    await handleAt(1200, feedbackOf({}, { sender: 'b', servers: seen(4, 2) }))
    await runTo(2000)
    expect(sent[1]!.servers).toEqual(seen(7, 2))
    expect(isFeedback(sent[1])).toBe(true)
  })

  it('does not go out for a repeated report or an invalid one', async ({ expect }) => {
    const { sent, coordinator, runTo, handleAt } = relayOf()
    coordinator.answer = answer()
    const first = await handleAt(1000, report('a', 0, 1000, 10))
    expect(await handleAt(3000, report('a', 0, 1000, 10))).toEqual(first)
    expect(await handleAt(3000, { nonsense: true })).toEqual({ ...first, share: 0 })
    await runTo(9000)
    expect(sent).toHaveLength(1)
  })
})

describe('the setup', () => {
  const isSent = ({ sent }: { sent: Feedback[] }) => sent.map(({ setup }) => setup !== undefined)

  it('is sent until the coordinator’s plan is made for it', async ({ expect }) => {
    const relay = relayOf()
    await relay.handleAt(1000, report('a', 0, 1000))
    relay.coordinator.answer = answer()
    await relay.handleAt(2000, report('a', 1, 2000))
    await relay.handleAt(3000, report('a', 2, 3000))
    expect(isSent(relay)).toEqual([true, true, false])
  })

  it('is that of the isolate that started last', async ({ expect }) => {
    const { sent, runTo, handleAt } = relayOf()
    await handleAt(1000, report('new', 0, 1000, 0, setupOf({ id: 'newer', sinceMs: 2 })))
    await handleAt(1000, report('old', 0, 1000, 0, setupOf({ id: 'older', sinceMs: 1 })))
    await runTo(2000)
    expect(sent.map(({ setup }) => setup?.id)).toEqual(['newer', 'newer'])
  })

  it('is sent again to a coordinator that has lost its state', async ({ expect }) => {
    const relay = relayOf()
    relay.coordinator.answer = answer()
    await relay.handleAt(1000, report('a', 0, 1000))
    relay.coordinator.answer = { plan: null, share: 0 }
    await relay.handleAt(2000, report('a', 1, 2000))
    await relay.handleAt(3000, report('a', 2, 3000))
    expect(isSent(relay)).toEqual([true, false, true])
  })

  it('is not sent if the coordinator has a later one', async ({ expect }) => {
    const relay = relayOf()
    relay.coordinator.answer = answer({ id: 'a later one', sinceMs: 6 })
    await relay.handleAt(1000, report('a', 0, 1000, 0, setupOf({ sinceMs: 5 })))
    await relay.handleAt(2000, report('a', 1, 2000, 0, setupOf({ sinceMs: 5 })))
    expect(isSent(relay)).toEqual([true, false])
  })
})

describe('the answer to an isolate', () => {
  it('is the newest plan, and the isolate’s part of the colo’s share', async ({ expect }) => {
    const { coordinator, handleAt } = relayOf()
    coordinator.answer = answer(undefined, 0.5)
    await handleAt(1000, report('a', 0, 1000, 30))
    expect(await handleAt(1000, report('b', 0, 1000, 10))).toEqual({ ...answer(), share: 0.125 })
    expect(await handleAt(1000, report('a', 0, 1000, 30))).toEqual({ ...answer(), share: 0.375 })
  })

  it('has no plan before the coordinator has one', async ({ expect }) => {
    const { handleAt } = relayOf()
    expect(await handleAt(1000, report('a', 0, 1000))).toEqual({ plan: null, share: 0 })
  })

  it('is an error for all isolates while the coordinator cannot be reached', async ({ expect }) => {
    const { coordinator, handleAt } = relayOf()
    coordinator.answer = answer()
    await handleAt(1000, report('a', 0, 1000))
    coordinator.answer = UNREACHABLE
    await expect(handleAt(2000, report('a', 1, 2000))).rejects.toThrow('not now')
    await expect(handleAt(2100, report('b', 0, 2100))).rejects.toThrow('cannot be reached')
    coordinator.answer = answer()
    expect((await handleAt(3000, report('a', 2, 3000))).plan).not.toBeNull()
    expect((await handleAt(3100, report('b', 1, 3100))).plan).not.toBeNull()
  })

  it('is an error too after a report that no isolate waited for; this is logged', async ({
    expect,
  }) => {
    const { coordinator, warnings, runTo, handleAt } = relayOf()
    coordinator.answer = answer()
    await handleAt(1000, report('a', 0, 1000))
    await handleAt(1100, report('b', 0, 1100))
    coordinator.answer = UNREACHABLE
    await runTo(2000)
    expect(warnings).toEqual([UNREACHABLE])
    await expect(handleAt(2000, report('b', 1, 2000))).rejects.toThrow('cannot be reached')
  })
})
