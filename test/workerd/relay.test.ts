import { env, evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { afterEach, beforeEach, describe, it, vi } from 'vitest'
import type { Relay } from '../../durable-objects/index.ts'
import { durableObjectPort, relayName } from '../../src/transport/durable-object.ts'
import { type Counts, feedbackOf, setupOf } from '../support/feedback.ts'
import { statusesOf } from './desk.ts'

const NOW = 1_800_000_000_000

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'setTimeout'], now: NOW }))
afterEach(() => void vi.useRealTimers())

/** A new origin with a colo in Berlin. */
function originOf(origin: string) {
  const port = durableObjectPort(env, origin, 'BER')
  const relay = () => env.TIDEGATE_RELAY.getByName(relayName(origin, 'BER'))
  const feedback = (sender: string, seq: number, offered: number, isTold = seq === 0) => {
    const counts: Counts = { shop: { default: { offered, inFlight: 1 } } }
    const given = { sender, seq, toMs: Date.now(), ...(isTold ? { setup: setupOf() } : {}) }
    return { ...feedbackOf(counts, given), origin }
  }
  const report = (...given: Parameters<typeof feedback>) => port.report(feedback(...given))
  const status = async () => (await statusesOf(env.TIDEGATE_COORDINATOR.getByName(origin)))[0]
  return { relay, feedback, report, status }
}

describe('a relay', () => {
  it('gives the coordinator’s plan to the first isolate at once', async ({ expect }) => {
    const { report } = originOf('at once')
    expect(await report('a', 0, 200)).toMatchObject({
      plan: { seq: 1, drawLimit: 50, setup: { id: 'a setup' } },
      share: 1,
    })
  })

  it('merges the reports of two isolates into one', async ({ expect }) => {
    const { report, status } = originOf('as one')
    await report('a', 0, 10)
    await report('b', 0, 20)
    vi.setSystemTime(NOW + 1000)
    await report('a', 1, 30)
    expect(await status()).toMatchObject({
      senders: 1,
      dataCentres: [{ name: 'BER', share: 1 }],
      reports: { taken: 2, repeated: 0, refused: 0 },
      lastMinute: { inFlight: 2 },
    })
    const { offered, seconds } = (await status())!.lastMinute
    expect(offered * seconds).toBeCloseTo(60)
  })

  it('divides its share among its isolates', async ({ expect }) => {
    const { report } = originOf('shares')
    await report('a', 0, 30)
    const { share, plan } = await report('b', 0, 10)
    expect(share).toBe(0.25)
    expect(plan).not.toBeNull()
  })

  it('holds a cap on requests in flight over all its isolates, however many there are', async ({
    expect,
  }) => {
    // A draw that finds no slot waits a moment, in real time.
    vi.useRealTimers()
    vi.useFakeTimers({ toFake: ['Date'], now: NOW })
    const { relay } = originOf('a small cap')
    const setup = setupOf({ learner: { name: 'fixed', options: { inFlight: 3 } } })
    const seqs = new Map<string, number>()
    const report = (sender: string, inFlight: number, wants = false, isCopy = false) => {
      const seq = (seqs.get(sender) ?? -1) + (isCopy ? 0 : 1)
      seqs.set(sender, seq)
      const counts = { shop: { default: { offered: 1, inFlight, served: 1, latencyUs: 50_000 } } }
      const feedback = feedbackOf(counts, { sender, seq, toMs: Date.now(), setup })
      const asking = wants ? { asks: true as const, wants: true as const } : {}
      return relay().report({ ...feedback, origin: 'a small cap', ...asking })
    }
    const isolates = Array.from({ length: 40 }, (_, i) => `isolate ${i}`)
    // A crowd: each of them has a request in flight, and then none.
    for (const sender of isolates) await report(sender, 1)
    vi.setSystemTime(NOW + 1000)
    for (const sender of isolates) await report(sender, 1)
    vi.setSystemTime(NOW + 2000)
    for (const sender of isolates) expect((await report(sender, 0)).slots).toBeNull()
    const granted = async (senders: readonly string[]) => {
      const answers = await Promise.all(senders.map((sender) => report(sender, 0, true)))
      return senders.filter((_, i) => answers[i]!.lease!.load > 0)
    }
    const first = await granted(isolates.slice(0, 10))
    expect(first).toHaveLength(3)
    expect(await granted(isolates.slice(10, 20))).toEqual([])
    // One of the requests has ended.
    await report(first[0]!, 0)
    const [next] = await granted(isolates.slice(20, 30))
    // Another has ended. A copy of a question that was granted takes no slot.
    await report(first[1]!, 0)
    expect((await report(next!, 0, true, true)).lease!.load).toBeGreaterThan(0)
    expect(await granted(isolates.slice(30, 40))).toHaveLength(1)
  })

  it('sends the last feedback by a timer if no report follows', async ({ expect }) => {
    const { report, status } = originOf('the last of a rush')
    await report('a', 0, 10)
    await report('b', 0, 20)
    expect((await status())!.reports.taken).toBe(1)
    await vi.advanceTimersByTimeAsync(900)
    await vi.waitFor(async () => expect((await status())!.reports.taken).toBe(2))
  })

  it('drops a repeated report, and answers it', async ({ expect }) => {
    const { report, status } = originOf('repeated')
    const first = await report('a', 0, 10)
    vi.setSystemTime(NOW + 1000)
    expect(await report('a', 0, 10, false)).toEqual(first)
    expect((await status())!.reports).toEqual({ taken: 1, repeated: 0, refused: 0 })
  })

  it('answers an invalid report, and counts nothing', async ({ expect }) => {
    const { relay, report } = originOf('nonsense')
    await report('a', 0, 10)
    expect(await relay().report({ nonsense: true } as never)).toMatchObject({ share: 0 })
  })

  it('works after an eviction, because the coordinator knows the setup', async ({ expect }) => {
    const { relay, report, status } = originOf('evicted')
    await report('a', 0, 200)
    await evictDurableObject(relay())
    vi.setSystemTime(NOW + 1000)
    expect(await report('a', 1, 200)).toMatchObject({ plan: { drawLimit: 50 }, share: 1 })
    // The coordinator does not count it as a second relay.
    expect(await status()).toMatchObject({
      senders: 1,
      reports: { taken: 2, repeated: 0 },
      lastMinute: { inFlight: 1 },
    })
  })

  it('answers with its plan after a report that was lost, and with an error when the plan is old', async ({
    expect,
  }) => {
    const { relay, report, feedback } = originOf('cut off')
    await report('a', 0, 10)
    const unreachable = () => Promise.reject(new Error('not now'))
    const bindings = { TIDEGATE_COORDINATOR: { getByName: () => ({ report: unreachable }) } }
    await runInDurableObject(relay(), async (instance: Relay) => {
      Object.defineProperty(instance, 'env', { value: bindings })
      vi.setSystemTime(NOW + 1000)
      expect(await instance.report(feedback('a', 1, 10))).toMatchObject({ plan: { drawLimit: 50 } })
      vi.setSystemTime(NOW + 2000)
      await expect(instance.report(feedback('a', 2, 10))).rejects.toThrow('cannot be reached')
      await expect(instance.report(feedback('b', 0, 10))).rejects.toThrow('cannot be reached')
    })
  })

  it('takes no garbage for a plan', async ({ expect }) => {
    const { relay, report, feedback } = originOf('garbage')
    await report('a', 0, 10)
    const answers: unknown[] = [{ plan: 7, share: 1 }, { plan: null, share: 'all' }, null, 'plan']
    const garbage = async () => answers.shift()
    const bindings = { TIDEGATE_COORDINATOR: { getByName: () => ({ report: garbage }) } }
    await runInDurableObject(relay(), async (instance: Relay) => {
      const env = Object.getOwnPropertyDescriptor(instance, 'env')
      Object.defineProperty(instance, 'env', { value: bindings, configurable: true })
      for (let seq = 1; answers.length > 0; seq++) {
        vi.setSystemTime(Date.now() + 1000)
        // The plan of before, as long as it is good, and then an error.
        const answer = await instance.report(feedback('a', seq, 10)).catch(() => null)
        expect(answer === null || answer.plan?.drawLimit === 50).toBe(true)
        expect(answer === null).toBe(seq > 1)
      }
      if (env) Object.defineProperty(instance, 'env', env)
      else Reflect.deleteProperty(instance, 'env')
    })
    vi.setSystemTime(Date.now() + 1000)
    expect(await report('a', 9, 10)).toMatchObject({ plan: { drawLimit: 50 }, share: 1 })
  })

  it('does not repeat its report to an overloaded coordinator, and backs off', async ({
    expect,
  }) => {
    const { relay, report, feedback } = originOf('overloaded')
    await report('a', 0, 10)
    let calls = 0
    const overloaded = () => {
      calls++
      return Promise.reject(Object.assign(new Error('overloaded'), { overloaded: true }))
    }
    const bindings = { TIDEGATE_COORDINATOR: { getByName: () => ({ report: overloaded }) } }
    await runInDurableObject(relay(), async (instance: Relay) => {
      Object.defineProperty(instance, 'env', { value: bindings })
      for (let seq = 1; seq <= 20; seq++) {
        vi.setSystemTime(NOW + seq * 1000)
        await instance.report(feedback('a', seq, 10)).catch(() => {})
      }
    })
    // After pauses of 1 to 2, 2 to 4 and 4 to 8 s, and so on: without them it would be 20 calls.
    expect(calls).toBeGreaterThanOrEqual(3)
    expect(calls).toBeLessThanOrEqual(6)
  })
})
