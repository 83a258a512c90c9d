import { env, evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { afterEach, beforeEach, describe, it, vi } from 'vitest'
import type { Coordinator } from '../../durable-objects/index.ts'
import type { Setup } from '../../src/protocol/feedback.ts'
import { type Counts, feedbackOf, setupOf } from '../support/feedback.ts'
import { histogramOf } from '../support/histogram.ts'
import { act, statusesOf } from './desk.ts'

const NOW = 1_800_000_000_000
const AIMD = setupOf({ learner: { name: 'aimd', options: {} } })

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: NOW }))
afterEach(() => void vi.useRealTimers())

/** A new coordinator, and a sender that reports to it every second. */
function coordinatorOf(name: string, setup: Setup = setupOf()) {
  const stub = () => env.TIDEGATE_COORDINATOR.getByName(name)
  let seq = 0
  const report = (counts: Counts = {}, { isTold = seq === 0, lengthMs = 1000 } = {}) =>
    stub().report(
      feedbackOf(counts, {
        ...{ seq: seq++, toMs: Date.now(), lengthMs },
        ...(isTold ? { setup } : {}),
      }),
    )
  const wait = (ms: number): void => void vi.setSystemTime(Date.now() + ms)
  const alarmAt = () => runInDurableObject(stub(), (_, state) => state.storage.getAlarm())
  const status = () => statusesOf(stub())
  return { stub, report, wait, alarmAt, status }
}

const crowd = (offered: number, ms = 100): Counts => ({
  shop: {
    default: {
      ...{ offered, admitted: offered, requests: offered, served: offered },
      latency: histogramOf(new Array(offered).fill(ms)),
      latencyUs: offered * ms * 1000,
    },
  },
})

describe('a coordinator', () => {
  it('answers a report with the plan that it led to', async ({ expect }) => {
    const { report } = coordinatorOf('plans')
    expect(await report(crowd(200))).toMatchObject({
      plan: {
        ...{ seq: 1, issuedAtMs: NOW, drawLimit: 50 },
        routes: { shop: { limit: 50, classes: { default: { probability: 0.25 } } } },
      },
      share: 1,
    })
  })

  it('gives each sender a share in proportion to its draws', async ({ expect }) => {
    const { stub, report } = coordinatorOf('shares')
    await report(crowd(30))
    const other = feedbackOf(crowd(90), { sender: 'another relay', toMs: NOW })
    expect(await stub().report(other)).toMatchObject({ share: 0.75 })
  })

  it('has no plan before it knows the setup', async ({ expect }) => {
    const { report } = coordinatorOf('untold')
    expect(await report({}, { isTold: false })).toEqual({ plan: null, share: 1 })
  })

  it('counts an invalid report as refused', async ({ expect }) => {
    const { stub, report, status } = coordinatorOf('harmless')
    await report(crowd(10))
    await stub().report({ nonsense: true } as never)
    expect((await status())[0]!.reports).toEqual({ taken: 1, repeated: 0, refused: 1 })
  })
})

describe('the stored state', () => {
  it('has the plan and the learner after an eviction', async ({ expect }) => {
    const { stub, report, wait, status } = coordinatorOf('evicted', AIMD)
    for (let i = 0; i < 5; i++) {
      await report(crowd(100, i < 3 ? 100 : 3000))
      wait(1000)
    }
    const [before] = await status()
    expect(before!.plan.limit).toBeGreaterThan(0)
    await evictDurableObject(stub())
    const [after] = await status()
    expect(after!.plan).toEqual(before!.plan)
    // The observed curve is stored once a minute.
    expect(after!.learner).toEqual({ ...before!.learner, curve: [] })
    expect((await report({}, { isTold: false, lengthMs: 0 })).plan?.seq).toBe(5)
  })

  it('has the setup even before the first tick', async ({ expect }) => {
    const { stub, report } = coordinatorOf('early eviction')
    const { plan } = await report({}, { lengthMs: 0 })
    expect(plan?.seq).toBe(0)
    await evictDurableObject(stub())
    expect((await report({}, { isTold: false, lengthMs: 0 })).plan).toEqual(plan)
  })

  it('is ignored with a warning if it is damaged', async ({ expect }) => {
    const warned = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const { stub, report } = coordinatorOf('damaged')
    await runInDurableObject(stub(), (_, state) =>
      state.storage.put('state', { version: 1, setup: setupOf(), decision: null }),
    )
    await evictDurableObject(stub())
    expect((await report({}, { lengthMs: 0 })).plan).toMatchObject({ seq: 0, drawLimit: null })
    expect(warned.mock.calls.flat().join()).toContain('Ignoring the stored state')
    warned.mockRestore()
  })
})

describe('a write that fails in the middle of a tick', () => {
  it('loses that tick and nothing before it', async ({ expect }) => {
    const { stub, report, wait, status } = coordinatorOf('full disk', AIMD)
    for (let i = 0; i < 4; i++) {
      await report(crowd(100))
      wait(1000)
    }
    const [before] = await status()
    await runInDurableObject(stub(), async (instance: Coordinator, { storage }) => {
      const full = () => {
        throw new Error('the disk is full')
      }
      Object.defineProperty(storage, 'put', { value: full })
      const counts = { seq: 4, toMs: Date.now(), lengthMs: 1000 }
      await expect(instance.report(feedbackOf(crowd(100), counts))).rejects.toThrow('disk is full')
    })
    // The runtime resets an object whose write has failed.
    await evictDurableObject(stub())
    const [after] = await status()
    expect(after!.plan).toEqual(before!.plan)
    expect(after!.learner.state).toEqual(before!.learner.state)
    wait(1000)
    expect((await report(crowd(100))).plan?.seq).toBe(5)
  })
})

describe('the alarm', () => {
  it('is set by the first report, a tick ahead', async ({ expect }) => {
    const { report, alarmAt } = coordinatorOf('alarm', setupOf({ tickMs: 2000 }))
    expect(await alarmAt()).toBeNull()
    await report(crowd(10))
    expect(await alarmAt()).toBe(NOW + 2000)
  })

  it('ticks if the reports were too short for a tick by themselves', async ({ expect }) => {
    const { stub, report, wait, status } = coordinatorOf('backstop')
    const seq = async () => (await report({}, { isTold: false, lengthMs: 0 })).plan?.seq
    // The first tick is shorter.
    await report(crowd(100))
    expect(await seq()).toBe(1)
    wait(600)
    await report(crowd(60), { lengthMs: 600 })
    expect(await seq()).toBe(1)
    wait(1000)
    expect(await runDurableObjectAlarm(stub())).toBe(true)
    expect(await seq()).toBe(2)
    await evictDurableObject(stub())
    expect(await seq()).toBe(2)
    expect((await status())[0]!.plan.limit).toBe(50)
  })

  it('repeats while reports come, and ends 30 s after the last', async ({ expect }) => {
    const { stub, report, wait, alarmAt } = coordinatorOf('idle')
    await report(crowd(10))
    for (let i = 1; i <= 30; i++) {
      wait(1000)
      await runDurableObjectAlarm(stub())
      expect(await alarmAt()).toBe(NOW + (i + 1) * 1000)
    }
    wait(1000)
    await runDurableObjectAlarm(stub())
    expect(await alarmAt()).toBeNull()
    expect(await runDurableObjectAlarm(stub())).toBe(false)
  })

  it('is set again by the first report after a pause', async ({ expect }) => {
    const { stub, report, wait, alarmAt } = coordinatorOf('awake again')
    await report(crowd(10))
    wait(60_000)
    await runDurableObjectAlarm(stub())
    expect(await alarmAt()).toBeNull()
    await report(crowd(10))
    expect(await alarmAt()).toBe(NOW + 61_000)
  })

  it('ends if the object was evicted and no report comes', async ({ expect }) => {
    const { stub, report, wait, alarmAt } = coordinatorOf('evicted and idle')
    await report(crowd(10))
    await evictDurableObject(stub())
    wait(1000)
    await runDurableObjectAlarm(stub())
    expect(await alarmAt()).toBeNull()
  })
})

describe('an operator’s announcement', () => {
  it('reaches the learner with the next tick', async ({ expect }) => {
    const setup = setupOf({ learner: { name: 'lqr', options: {} } })
    const { stub, report, wait, status } = coordinatorOf('announced', setup)
    for (let i = 0; i < 5; i++) {
      await report(crowd(100))
      wait(1000)
    }
    expect((await status())[0]!.learner.reason).not.toBe('capacity')
    await act(stub(), { action: 'capacity', before: 2, after: 1 })
    await report(crowd(100))
    expect((await status())[0]!.learner.reason).toBe('capacity')
  })
})
