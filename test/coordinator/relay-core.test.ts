import { describe, it } from 'vitest'
import { CoordinatorCore } from '../../src/coordinator/coordinator-core.ts'
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
/** Nearly all visitors are refused. */
const KEPT_OUT = { default: { probability: 0.05 } }

/** A relay in simulated time. It records what it sends, and gets the answer that a test sets. */
function relayOf() {
  const clock = new FakeRuntime(0)
  const sent: Feedback[] = []
  const warnings: unknown[] = []
  const coordinator: { answer: ReportAnswer | Error; delayMs: number; onSent: () => void } = {
    answer: { plan: null, share: 0 },
    delayMs: 0,
    onSent: () => {},
  }
  const core = new RelayCore({
    sender: 'relay',
    now: clock.now,
    sleep: clock.sleep,
    send: async (feedback) => {
      sent.push(feedback)
      coordinator.onSent()
      if (coordinator.delayMs > 0) await clock.sleep(coordinator.delayMs)
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
  return { sent, warnings, coordinator, clock, runTo, handleAt }
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

  it('says by how old plans its isolates have decided, for the dead time of the loop', async ({
    expect,
  }) => {
    const { sent, handleAt, runTo } = relayOf()
    await handleAt(1000, report('a', 0, 1000))
    await handleAt(1100, { ...report('a', 1, 1100, 30), planIssuedAtMs: 800 })
    await handleAt(1200, { ...report('b', 0, 1200, 10), planIssuedAtMs: 400 })
    await runTo(1900)
    expect(sent.map(({ planIssuedAtMs }) => planIssuedAtMs)).toEqual([undefined, 700])
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
    const { plan, share } = await handleAt(1000, report('a', 0, 1000, 10))
    expect(await handleAt(3000, report('a', 0, 1000, 10))).toMatchObject({ plan, share })
    expect(await handleAt(3000, { nonsense: true })).toEqual({ plan, share: 0 })
    await runTo(9000)
    expect(sent).toHaveLength(1)
  })
})

describe('a relay of one of many data centres', () => {
  const viaRegion = { ...answer(), viaRegion: true } as const

  function relayIn(region: string | undefined) {
    const clock = new FakeRuntime(0)
    const sent: [string | null, Feedback][] = []
    const coordinator = { answer: viaRegion as ReportAnswer }
    const core = new RelayCore({
      sender: 'relay',
      now: clock.now,
      sleep: clock.sleep,
      send: async (feedback, via) => {
        sent.push([via, feedback])
        return coordinator.answer
      },
      warn() {},
    })
    const handleAt = async (ms: number, feedback: Feedback) => {
      await clock.advanceTo(ms)
      return core.handle(feedback, region)
    }
    return { sent, coordinator, handleAt, core }
  }

  it('reports to its region from then on, and takes its requests in flight away elsewhere', async ({
    expect,
  }) => {
    const { sent, handleAt, coordinator } = relayIn('EU')
    await handleAt(1000, report('a', 0, 1000, 10))
    await handleAt(2000, report('a', 1, 2000, 10))
    expect(sent.map(([via]) => via)).toEqual([null, null, 'EU'])
    expect(sent[1]![1].routes).toEqual({})
    expect(sent.every(([, feedback]) => isFeedback(feedback))).toBe(true)
    coordinator.answer = answer()
    await handleAt(3000, report('a', 2, 3000, 10))
    await handleAt(4000, report('a', 3, 4000, 10))
    expect(sent.slice(3).map(([via]) => via)).toEqual(['EU', 'EU', null])
    expect(sent[4]![1].routes).toEqual({})
  })

  it('goes on as before if its region is not known', async ({ expect }) => {
    const { sent, handleAt } = relayIn(undefined)
    for (const i of [1, 2, 3]) await handleAt(i * 1000, report('a', i, i * 1000, 10))
    expect(sent.map(([via]) => via)).toEqual([null, null, null])
  })

  it('gets its part of the region’s share as of the region’s last report', async ({ expect }) => {
    const { handleAt, sent } = relayIn(undefined)
    const ofRelay = (name: string, seq: number, toMs: number, offered: number) => ({
      ...report(name, seq, toMs, offered),
      isolates: 7,
    })
    await handleAt(1000, ofRelay('x@FRA', 0, 1000, 10))
    await handleAt(2000, ofRelay('x@BER', 0, 2000, 30))
    expect(sent.at(-1)![1]).toMatchObject({ isolates: 14, relays: 2 })
    // Berlin's crowd is not in the region's last report, so nobody's part has changed yet.
    const { share, viaRegion } = await handleAt(2100, ofRelay('x@BER', 1, 2100, 300))
    expect(viaRegion).toBe(true)
    const { share: other, lease } = await handleAt(2150, ofRelay('x@FRA', 1, 2150, 10))
    expect(share + other).toBeCloseTo(1)
    expect(share).toBeCloseTo(0.75)
    expect(lease).toBeUndefined()
  })
})

describe('a relay without visitors', () => {
  it('has no timer and no call under way a second after the last report', async ({ expect }) => {
    const clock = new FakeRuntime(0)
    let pending = 0
    const watched = async <Value>(work: Promise<Value>): Promise<Value> => {
      pending++
      return work.finally(() => pending--)
    }
    const core = new RelayCore({
      sender: 'relay',
      now: clock.now,
      sleep: (ms) => watched(clock.sleep(ms)),
      send: () => watched(clock.sleep(40).then(() => answer())),
      warn() {},
    })
    for (const i of [1, 2, 3]) {
      await clock.advanceTo(i * 400)
      void core.handle(report('a', i, i * 400, 10))
    }
    expect(pending).toBeGreaterThan(0)
    await clock.advanceTo(2400)
    expect(pending).toBe(0)
    await clock.advanceTo(60_000)
    expect(pending).toBe(0)
  })
})

describe('a coordinator', () => {
  const reportsOf = (relays: number, atMs: number, core = new CoordinatorCore()) => {
    const from = (i: number) => ({ ...report(`o@${i}`, atMs, atMs, 1), isolates: 60 })
    return Array.from({ length: relays }, (_, i) => core.handle(from(i), atMs)).at(-1)!
  }

  it('sends relays to their regions only if there are more than a hundred', ({ expect }) => {
    expect(reportsOf(100, 1000)).not.toHaveProperty('viaRegion')
    expect(reportsOf(101, 1000)).toMatchObject({ viaRegion: true })
  })

  it('leaves them there when the regions speak for them', ({ expect }) => {
    const core = new CoordinatorCore()
    reportsOf(101, 1000, core)
    const region = { ...report('o@region EU', 1, 60_000, 1), isolates: 6000, relays: 80 }
    core.handle(region, 60_000)
    core.tick(60_000)
    expect(core.handle({ ...region, seq: 2 }, 61_000)).toMatchObject({ viaRegion: true })
    expect(core.handle({ ...region, seq: 3, relays: 50 }, 62_000)).not.toHaveProperty('viaRegion')
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
    expect(await handleAt(1000, report('b', 0, 1000, 10))).toMatchObject({
      ...answer(),
      share: 0.125,
      fairPart: 0.5 / 3,
    })
    expect(await handleAt(1000, report('a', 1, 1000, 30))).toMatchObject({
      ...answer(),
      share: 0.375,
    })
  })

  it('has no plan before the coordinator has one', async ({ expect }) => {
    const { handleAt } = relayOf()
    expect(await handleAt(1000, report('a', 0, 1000))).toEqual({ plan: null, share: 0 })
  })

  it('is the plan all the same after a report that was lost', async ({ expect }) => {
    const { coordinator, warnings, handleAt } = relayOf()
    coordinator.answer = answer()
    await handleAt(1000, report('a', 0, 1000))
    coordinator.answer = UNREACHABLE
    expect((await handleAt(2000, report('a', 1, 2000))).plan).not.toBeNull()
    expect((await handleAt(2100, report('b', 0, 2100))).plan).not.toBeNull()
    expect(warnings).toEqual([UNREACHABLE])
  })

  it('is the plan that the relay has, for a visitor who waits: the coordinator may be far away', async ({
    expect,
  }) => {
    const { coordinator, sent, handleAt, runTo, clock } = relayOf()
    const { plan, share } = answer()
    coordinator.answer = { plan: { ...plan!, goodForMs: 2000 }, share }
    await handleAt(1000, report('a', 0, 1000))
    coordinator.delayMs = 80
    const asked = async (toMs: number, sender: string): Promise<number> => {
      await runTo(toMs)
      let answeredMs = Number.NaN
      const asking = { ...report(sender, 0, toMs), asks: true }
      const answered = handleAt(toMs, asking).then(() => {
        answeredMs = clock.now() - toMs
      })
      await runTo(toMs + 200)
      await answered
      return answeredMs
    }
    // The report goes on all the same.
    expect(await asked(2000, 'b')).toBe(0)
    expect(sent).toHaveLength(2)
    // What the coordinator said 2 s ago holds no longer.
    expect(await asked(5000, 'c')).toBe(80)
  })

  it('is an error for all isolates after three reports in a row that were lost', async ({
    expect,
  }) => {
    const { coordinator, handleAt } = relayOf()
    coordinator.answer = answer()
    await handleAt(1000, report('a', 0, 1000))
    coordinator.answer = UNREACHABLE
    await handleAt(2000, report('a', 1, 2000))
    await handleAt(3000, report('a', 2, 3000))
    await expect(handleAt(4000, report('a', 3, 4000))).rejects.toThrow('cannot be reached')
    await expect(handleAt(4100, report('b', 0, 4100))).rejects.toThrow('cannot be reached')
    coordinator.answer = answer()
    expect((await handleAt(5000, report('a', 4, 5000))).plan).not.toBeNull()
    expect((await handleAt(5100, report('b', 1, 5100))).plan).not.toBeNull()
  })

  it('is an error as soon as the plan is old and the newest report was lost', async ({
    expect,
  }) => {
    const { coordinator, runTo, handleAt } = relayOf()
    const { plan, share } = answer()
    coordinator.answer = { plan: { ...plan!, goodForMs: 800 }, share }
    await handleAt(1000, report('a', 0, 1000))
    await handleAt(1100, report('b', 0, 1100))
    coordinator.answer = UNREACHABLE
    await runTo(2000)
    await expect(handleAt(2000, report('b', 1, 2000))).rejects.toThrow('cannot be reached')
  })
})

describe('a cap on requests in flight that is too small to divide', () => {
  const capped = (): ReportAnswer => ({
    plan: planOf({ inFlightCap: 2, setup: { id: 'a setup', sinceMs: 0 } }),
    share: 1,
  })
  const seen = new Map<string, number>()
  /** A hundred isolates with a draw a second each. */
  const isolate = (name: string, toMs: number, inFlight: number, wants = false): Feedback => {
    const seq = (seen.get(name) ?? -1) + 1
    seen.set(name, seq)
    const counts = { shop: { default: { offered: 1, inFlight, served: 1, latencyUs: 50_000 } } }
    const feedback = feedbackOf(counts, { sender: name, seq, toMs, setup: setupOf() })
    return wants ? { ...feedback, asks: true, wants } : feedback
  }

  async function crowded() {
    seen.clear()
    const relay = relayOf()
    relay.coordinator.answer = capped()
    for (let i = 0; i < 100; i++) await relay.handleAt(1000, isolate(`isolate ${i}`, 1000, 1))
    for (let i = 0; i < 100; i++) await relay.handleAt(1500, isolate(`isolate ${i}`, 1500, 0))
    return relay
  }

  it('is held by the relay: draws ask, and as many get a slot as there are', async ({ expect }) => {
    const { handleAt, runTo } = await crowded()
    const told = await handleAt(1600, isolate('isolate 0', 1600, 0))
    expect(told).toMatchObject({ lease: { load: 0, reportsEnds: true }, slots: null })
    expect(told.lease!.asks).toBeGreaterThan(0)
    const asking = [1, 2, 3, 4].map((i) => handleAt(1600, isolate(`isolate ${i}`, 1600, 0, true)))
    await runTo(1700)
    const loads = (await Promise.all(asking)).map(({ lease }) => lease!.load)
    expect(loads.toSorted()).toEqual([0, 0, 1, 1])
  })

  it('lends a slot again as soon as its request has ended, to a draw that waits', async ({
    expect,
  }) => {
    const { handleAt, runTo } = await crowded()
    const first = [1, 2].map((i) => handleAt(1600, isolate(`isolate ${i}`, 1600, 0, true)))
    await runTo(1620)
    const loads = (await Promise.all(first)).map(({ lease }) => lease!.load)
    expect(loads).toEqual([1, 1])
    const waiting = handleAt(1620, isolate('isolate 3', 1620, 0, true))
    await handleAt(1640, isolate('isolate 1', 1640, 0))
    await runTo(1650)
    expect((await waiting).lease!.load).toBe(1)
  })
})

describe('a relay with many questions in a second', () => {
  /** What a lease at this time holds, if so many draws have asked at 1.5 s. */
  async function heldAt(toMs: number, questions: number) {
    const { coordinator, handleAt } = relayOf()
    const classes = { gold: { probability: 1 }, bronze: { probability: 0.1 } }
    const plan = planOf({ drawLimit: 200, setup: { id: 'a setup', sinceMs: 0 }, classes })
    coordinator.answer = { plan, share: 1 }
    const isolate = (i: number, toMs: number): Feedback =>
      feedbackOf({ shop: { gold: { offered: 1 } } }, { sender: `isolate ${i}`, seq: toMs, toMs })
    for (let i = 0; i < 200; i++) await handleAt(1000, isolate(i, 1000))
    for (let i = 0; i < questions; i++)
      await handleAt(1500, { ...isolate(i, 1500), asks: true, wants: true })
    return (await handleAt(toMs, isolate(199, toMs))).lease!.holds
  }

  it('keeps isolates from asking, and no longer than the second', async ({ expect }) => {
    expect(await heldAt(1600, 120)).toBe('drawn')
    expect(await heldAt(1600, 121)).toBe('all')
    expect(await heldAt(2600, 121)).toBe('drawn')
  })
})

describe('a copy of a report', () => {
  it('gets the answer of the first, and is not lent a second time what that asked for', async ({
    expect,
  }) => {
    const { coordinator, handleAt, sent } = relayOf()
    const plan = planOf({ setup: { id: 'a setup', sinceMs: 0 }, drawLimit: 1, classes: KEPT_OUT })
    coordinator.answer = { plan, share: 1 }
    // Another isolate, so that this one is not alone: then each of its draws asks.
    await handleAt(1000, report('b', 0, 1000, 10))
    await handleAt(1000, report('a', 0, 1000, 10))
    const asking = { ...report('a', 1, 1300, 10), asks: true, wants: true }
    const first = await handleAt(1300, asking)
    expect(first.lease?.load).toBe(1)
    const reports = sent.length
    expect(await handleAt(1320, asking)).toEqual(first)
    expect(await handleAt(1340, asking)).toEqual(first)
    expect(sent).toHaveLength(reports)
  })

  it('that comes after a newer report is lent nothing', async ({ expect }) => {
    const { coordinator, handleAt } = relayOf()
    const plan = planOf({ setup: { id: 'a setup', sinceMs: 0 }, drawLimit: 1, classes: KEPT_OUT })
    coordinator.answer = { plan, share: 1 }
    await handleAt(1000, report('b', 0, 1000, 10))
    await handleAt(1000, report('a', 0, 1000, 10))
    const asking = { ...report('a', 1, 1300, 10), asks: true, wants: true }
    await handleAt(1400, report('a', 2, 1400, 10))
    expect((await handleAt(1600, asking)).lease?.load).toBe(0)
    const again = { ...report('a', 3, 1700, 10), asks: true, wants: true }
    expect((await handleAt(1700, again)).lease?.load).toBe(1)
  })
})

describe('a report to the coordinator that is lost', () => {
  it('is sent again with its number, and its answer counts', async ({ expect }) => {
    const { coordinator, sent, handleAt } = relayOf()
    coordinator.answer = UNREACHABLE
    coordinator.onSent = () => {
      if (sent.length === 2) coordinator.answer = answer()
    }
    expect((await handleAt(1000, report('a', 0, 1000))).plan).not.toBeNull()
    expect(sent.map(({ seq }) => seq)).toEqual([0, 0])
  })
})
