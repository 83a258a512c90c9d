import { describe, it } from 'vitest'
import { OriginState } from '../../src/gate/origin-state.ts'
import { Reporter } from '../../src/gate/reporter.ts'
import { background, FakePort, FakeRuntime } from '../support/fakes.ts'
import { planOf, routeOf } from '../support/requests.ts'

const HOUR_MS = 3_600_000

/** An isolate whose clock is set while its timers go on. */
function isolateOf(goodForMs = 2000) {
  const route = routeOf()
  const timers = new FakeRuntime()
  let setMs = 0
  const runtime = { ...timers, now: () => timers.now() + setMs, sleep: timers.sleep }
  const port = new FakePort()
  port.answer = async () => ({ plan: planOf({ goodForMs, drawLimit: 20 }), share: 1 })
  const state = new OriginState([route], runtime)
  const reporter = new Reporter([route], state, { sender: 'a', port, cache: null, runtime })
  const busyFor = async (ms: number): Promise<number> => {
    const before = port.reports.length
    for (let passed = 0; passed < ms; passed += 100) {
      reporter.touch(background, runtime.now())
      state.countersOf('shop').classes[0]!.offered++
      await timers.advance(100)
    }
    return port.reports.length - before
  }
  const admittedIn = async (seconds: number, perSecond: number): Promise<number> => {
    let admitted = 0
    for (let i = 0; i < seconds * perSecond; i++) {
      reporter.touch(background, runtime.now())
      if (state.admission.draw(route, 0, runtime.now()).kind === 'admit') admitted++
      await timers.advance(1000 / perSecond)
    }
    return admitted
  }
  const setClock = (ms: number): void => {
    setMs += ms
  }
  return { busyFor, admittedIn, setClock, port }
}

describe.for([-HOUR_MS, -10_000, 10_000, HOUR_MS])('a clock that is set by %d ms', (jumpMs) => {
  it('does not stop the reports of an isolate', async ({ expect }) => {
    const { busyFor, setClock } = isolateOf()
    expect(await busyFor(10_000)).toBeGreaterThanOrEqual(9)
    setClock(jumpMs)
    const after = await busyFor(10_000)
    expect(after).toBeGreaterThanOrEqual(8)
    expect(after).toBeLessThanOrEqual(13)
  })

  it('neither opens nor closes the gate: the limit of 20/s holds', async ({ expect }) => {
    const { admittedIn, setClock } = isolateOf()
    await admittedIn(5, 100)
    setClock(jumpMs)
    // What is in the bucket may come at once.
    const first = await admittedIn(3, 100)
    expect(first).toBeLessThanOrEqual(60 + 30)
    const later = await admittedIn(10, 100)
    expect(later).toBeGreaterThanOrEqual(190)
    expect(later).toBeLessThanOrEqual(210)
  })
})
