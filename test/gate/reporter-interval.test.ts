import { describe, it } from 'vitest'
import { OriginState } from '../../src/gate/origin-state.ts'
import { Reporter } from '../../src/gate/reporter.ts'
import type { ReportAnswer } from '../../src/protocol/coordinator-port.ts'
import { background, FakePort, FakeRuntime, refusing } from '../support/fakes.ts'
import { type Planned, planOf, routeOf } from '../support/requests.ts'

function isolateOf() {
  const routes = [routeOf()]
  const runtime = new FakeRuntime()
  const port = new FakePort()
  const state = new OriginState(routes, runtime)
  const reporter = new Reporter(routes, state, { sender: 'isolate', port, cache: null, runtime })
  const touch = (): void => reporter.touch(background, runtime.now())
  /** A request every 50 ms. The times between the reports meanwhile. */
  const gapsIn = async (ms: number): Promise<number[]> => {
    const first = port.reports.length
    for (let passed = 0; passed < ms; passed += 50) {
      touch()
      await runtime.advance(50)
    }
    const sent = port.reports.slice(first)
    return sent.slice(1).map(({ toMs }, i) => toMs - sent[i]!.toMs)
  }
  const answerWith = (everyMs?: number, planned: Planned = {}): void => {
    const answer: ReportAnswer = { plan: planOf(planned), share: 1, fairPart: 1 }
    port.answer = async () => (everyMs === undefined ? answer : { ...answer, everyMs })
  }
  return { runtime, port, state, touch, gapsIn, answerWith }
}

const all = (ms: number) => (gap: number) => gap === ms

describe('an isolate', () => {
  it('reports as often as the newest answer says', async ({ expect }) => {
    const { gapsIn, answerWith } = isolateOf()
    answerWith(250)
    expect((await gapsIn(10_000)).every(all(250))).toBe(true)
    answerWith(500)
    await gapsIn(500)
    expect((await gapsIn(10_000)).every(all(500))).toBe(true)
  })

  it('reports once a second if it is not told, and never more often than every 250 ms', async ({
    expect,
  }) => {
    const { gapsIn, answerWith } = isolateOf()
    answerWith()
    expect((await gapsIn(5_000)).every(all(1000))).toBe(true)
    answerWith(1)
    await gapsIn(1_000)
    expect((await gapsIn(5_000)).every(all(250))).toBe(true)
  })

  it('goes by the plan in calm', async ({ expect }) => {
    const { gapsIn, answerWith } = isolateOf()
    answerWith(250, { calmMs: 10_000, goodForMs: 12_000 })
    await gapsIn(10_000)
    // At 20 requests a second 30 have come after two seconds.
    expect((await gapsIn(20_000)).every(all(2000))).toBe(true)
  })

  it('reports once a second again while nobody answers', async ({ expect }) => {
    const { gapsIn, answerWith, port } = isolateOf()
    answerWith(250)
    await gapsIn(2_000)
    port.answer = refusing
    await gapsIn(1_000)
    expect((await gapsIn(10_000)).every(all(1000))).toBe(true)
    answerWith(250)
    await gapsIn(1_000)
    expect((await gapsIn(5_000)).every(all(250))).toBe(true)
  })

  it.for([
    [250, 16],
    [1000, 4],
  ] as const)(
    'with a request in flight and told %i ms, sends about %i reports behind one request',
    async ([everyMs, most], { expect }) => {
      const { runtime, port, state, touch, answerWith } = isolateOf()
      answerWith(everyMs)
      touch()
      state.countersOf('shop').classes[0]!.offered++
      const inFlight = state.open
      Object.defineProperty(inFlight, 'size', { value: 1 })
      await runtime.advance(60_000)
      expect(Math.abs(port.reports.length - most)).toBeLessThanOrEqual(1)
    },
  )
})
