import { env, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { afterEach, beforeEach, describe, it, vi } from 'vitest'
import { APP_ORIGIN } from '../../src/config/defaults.ts'
import { RelayCore } from '../../src/coordinator/relay-core.ts'
import { relayName } from '../../src/transport/durable-object.ts'
import { siteOf } from './site.ts'

const NOW = 1_800_000_000_000

/** Timers, `waitUntil` and calls that have not ended, of all objects. */
const pending = new Set<string>()
let names = 0

function until<Value>(what: string, work: Promise<Value>): Promise<Value> {
  const name = `${what} ${names++}`
  pending.add(name)
  return work.finally(() => pending.delete(name))
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW })
  pending.clear()
  const { setTimeout, clearTimeout } = globalThis
  vi.stubGlobal('setTimeout', (run: () => void, ms?: number) => {
    const id = setTimeout(() => {
      pending.delete(`timer ${id}`)
      run()
    }, ms)
    pending.add(`timer ${id}`)
    return id
  })
  vi.stubGlobal('clearTimeout', (id: ReturnType<typeof setTimeout>) => {
    pending.delete(`timer ${id}`)
    clearTimeout(id)
  })
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

describe('a site whose visitors have left', () => {
  it('has no alarm, timer, call or waitUntil pending in any object, and none begins', async ({
    expect,
  }) => {
    const coordinator = env.TIDEGATE_COORDINATOR.getByName(APP_ORIGIN)
    const relay = env.TIDEGATE_RELAY.getByName(relayName(APP_ORIGIN, 'local'))
    let calls = 0
    const { handle } = RelayCore.prototype
    vi.spyOn(RelayCore.prototype, 'handle').mockImplementation(function (
      this: RelayCore,
      ...given
    ) {
      calls++
      return until('call', handle.apply(this, given))
    })
    for (const stub of [coordinator, relay])
      await runInDurableObject(stub as never, (_: unknown, state) => {
        const waitUntil = state.waitUntil.bind(state)
        state.waitUntil = (work: Promise<unknown>) => waitUntil(until('waitUntil', work))
      })
    const alarms = () =>
      Promise.all(
        [coordinator, relay].map((stub) =>
          runInDurableObject(stub as never, (_: unknown, { storage }) => storage.getAlarm()),
        ),
      )
    const { ask, pass, rest, sleeping } = siteOf('idle')
    for (let i = 0; i < 20; i++) {
      expect(await ask()).toBe(200)
      await pass(250)
    }
    expect(calls).toBeGreaterThan(4)
    expect((await alarms())[0]).not.toBeNull()
    await rest()
    // The coordinator's alarm goes on until nobody has reported for 30 s.
    for (let i = 0; i < 60 && (await alarms())[0] !== null; i++) {
      await pass(1000)
      await runDurableObjectAlarm(coordinator)
    }
    expect(await alarms()).toEqual([null, null])
    const before = calls
    await pass(600_000)
    await new Promise((resolve) => setTimeout(resolve, 1100))
    expect([...pending]).toEqual([])
    expect(sleeping()).toBe(0)
    expect(calls).toBe(before)
    expect(await alarms()).toEqual([null, null])
  })
})
