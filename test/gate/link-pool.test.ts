import { describe, it } from 'vitest'
import { Link } from '../../src/gate/link.ts'
import { isFeedback } from '../../src/protocol/feedback-schema.ts'
import { background, FakePort, FakeRuntime, settle } from '../support/fakes.ts'
import { planOf, routesOf } from '../support/requests.ts'

const [A, B] = ['https://a.example.com', 'https://b.example.com'] as const
const POOL = { servers: [{ url: `${A}/`, weight: 3 }, { url: B }] }

function linkOf(...routes: object[]) {
  const runtime = new FakeRuntime()
  const port = new FakePort()
  const link = new Link(routesOf(...routes), { sender: 'isolate 1', port, cache: null, runtime })
  const reported = async () => {
    link.touch(background, runtime.now())
    await runtime.advance(1000)
    await settle()
    return port.last
  }
  return { link, port, reported }
}

describe('a pool of two servers', () => {
  it('is in the setup with its weights; a single server is not', async ({ expect }) => {
    const { reported } = linkOf({ origin: POOL })
    expect((await reported()).setup!.servers).toEqual([
      { url: A, weight: 3 },
      { url: B, weight: 1 },
    ])
    expect((await linkOf({ origin: A }).reported()).setup).not.toHaveProperty('servers')
  })

  it('is reported where it was asked: each try once, and nothing where nobody asked', async ({
    expect,
  }) => {
    const { link, reported } = linkOf({ origin: POOL })
    expect(await reported()).not.toHaveProperty('servers')
    link.pool!.tally!.answered(A)
    link.pool!.tally!.failed(B)
    const report = await reported()
    expect(report.servers).toEqual({
      [A]: { tries: 1, failures: 0 },
      [B]: { tries: 1, failures: 1 },
    })
    expect(isFeedback(report)).toBe(true)
    expect(await reported()).not.toHaveProperty('servers')
  })

  it('is asked as the newest plan says', async ({ expect }) => {
    const { link, port, reported } = linkOf({ origin: POOL })
    expect(link.pool!.pick(0.5)).toBe(A)
    port.answer = async () => ({ plan: { ...planOf(), down: [A] }, share: 1 })
    await reported()
    expect(link.pool!.pick(0.5)).toBe(B)
    port.answer = async () => ({ plan: planOf(), share: 1 })
    await reported()
    expect(link.pool!.pick(0.5)).toBe(A)
  })
})
