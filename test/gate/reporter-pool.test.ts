import { describe, it } from 'vitest'
import { OriginState } from '../../src/gate/origin-state.ts'
import { Reporter } from '../../src/gate/reporter.ts'
import { isFeedback } from '../../src/protocol/feedback-schema.ts'
import { background, FakePort, FakeRuntime, settle } from '../support/fakes.ts'
import { planOf, routesOf } from '../support/requests.ts'

const [A, B] = ['https://a.example.com', 'https://b.example.com'] as const
const POOL = { servers: [{ url: `${A}/`, weight: 3 }, { url: B }] }

function isolateOf(...routes: object[]) {
  const runtime = new FakeRuntime()
  const port = new FakePort()
  const given = routesOf(...routes)
  const state = new OriginState(given, runtime)
  const options = { sender: 'isolate 1', port, cache: null, runtime }
  const reporter = new Reporter(given, state, options)
  const reported = async () => {
    reporter.touch(background, runtime.now())
    await runtime.advance(1000)
    await settle()
    return port.last
  }
  return { pool: state.pool, port, reported }
}

describe('a pool of two servers', () => {
  it('is in the setup with its weights; a single server is not', async ({ expect }) => {
    const { reported } = isolateOf({ origin: POOL })
    expect((await reported()).setup!.servers).toEqual([
      { url: A, weight: 3 },
      { url: B, weight: 1 },
    ])
    expect((await isolateOf({ origin: A }).reported()).setup).not.toHaveProperty('servers')
  })

  it('is reported with each try once, and not at all without tries', async ({ expect }) => {
    const { pool, reported } = isolateOf({ origin: POOL })
    expect(await reported()).not.toHaveProperty('servers')
    pool!.counters!.answered(A)
    pool!.counters!.failed(B)
    const report = await reported()
    expect(report.servers).toEqual({
      [A]: { tries: 1, failures: 0 },
      [B]: { tries: 1, failures: 1 },
    })
    expect(isFeedback(report)).toBe(true)
    expect(await reported()).not.toHaveProperty('servers')
  })

  it('is used as in the newest plan', async ({ expect }) => {
    const { pool, port, reported } = isolateOf({ origin: POOL })
    expect(pool!.pick(() => 0.5, 0)).toBe(A)
    port.answer = async () => ({ plan: { ...planOf(), down: [A] }, share: 1 })
    await reported()
    expect(pool!.pick(() => 0.5, 0)).toBe(B)
    port.answer = async () => ({ plan: planOf(), share: 1 })
    await reported()
    expect(pool!.pick(() => 0.5, 0)).toBe(A)
  })
})
