import { afterEach, describe, it, vi } from 'vitest'
import { DEFAULTS } from '../../src/config/defaults.ts'
import { Failover } from '../../src/origin/failover.ts'
import { ServerPool } from '../../src/origin/server-pool.ts'

const POOL = {
  ...DEFAULTS.origin,
  name: 'pool',
  timeoutMs: 1000,
  keepHeaders: [],
  healthCheck: null,
}

const [A, B] = ['https://a.example.com', 'https://b.example.com'] as const

afterEach(() => {
  vi.unstubAllGlobals()
})

/** How each server reacts to a request: with this status, or it fails. */
type World = Readonly<Record<string, number | 'fails'>>

function failoverAt(world: World, method = 'GET', abort = new AbortController()) {
  const asked: string[] = []
  vi.stubGlobal('fetch', async ({ url }: Request) => {
    asked.push(url)
    const outcome = world[new URL(url).origin]
    if (outcome === 'fails' || outcome === undefined) throw new TypeError('no connection')
    return new Response('body', { status: outcome })
  })
  const servers = [A, B].map((url) => ({ url, weight: 1 }))
  const pool = new ServerPool({ ...POOL, servers })
  const request = new Request('https://shop.example.com/page?x=1', { method, signal: abort.signal })
  const failover = new Failover(pool, A, '/page?x=1', () => 0.5, request.signal)
  const send = () => failover.send(new Request(`${A}/page?x=1`, { method }), null)
  return { failover, asked, counted: () => pool.counters!.drain(), send }
}

const TRIED_BOTH = { [A]: { tries: 1, failures: 1 }, [B]: { tries: 1, failures: 0 } }

describe('a request to a pool', () => {
  it('is answered by the picked server, with any status', async ({ expect }) => {
    for (const status of [200, 404, 500, 503]) {
      const { send, asked, counted } = failoverAt({ [A]: status, [B]: 200 })
      expect((await send()).status).toBe(status)
      expect(asked).toEqual([`${A}/page?x=1`])
      expect(counted()).toEqual({ [A]: { tries: 1, failures: 0 } })
    }
  })

  for (const method of ['GET', 'HEAD'])
    it(`goes to another server if the first cannot be reached: ${method}`, async ({ expect }) => {
      const { send, asked, counted } = failoverAt({ [A]: 'fails', [B]: 200 }, method)
      expect((await send()).status).toBe(200)
      expect(asked).toEqual([`${A}/page?x=1`, `${B}/page?x=1`])
      expect(counted()).toEqual(TRIED_BOTH)
    })

  it('goes to another server if the network answers for a server that it cannot reach', async ({
    expect,
  }) => {
    for (const status of [521, 522, 523, 525, 526, 530]) {
      const { send, counted } = failoverAt({ [A]: status, [B]: 200 })
      expect((await send()).status).toBe(200)
      expect(counted()).toEqual(TRIED_BOTH)
    }
  })

  it('is not sent a third time', async ({ expect }) => {
    const { send, asked, counted } = failoverAt({ [A]: 'fails', [B]: 521 })
    await expect(send()).rejects.toThrow('could not be reached')
    expect(asked).toHaveLength(2)
    expect(counted()).toEqual({ [A]: { tries: 1, failures: 1 }, [B]: { tries: 1, failures: 1 } })
  })

  it('is sent once if it may change something: a POST', async ({ expect }) => {
    const { send, asked, counted } = failoverAt({ [A]: 'fails', [B]: 200 }, 'POST')
    await expect(send()).rejects.toThrow('no connection')
    expect(asked).toHaveLength(1)
    expect(counted()).toEqual({ [A]: { tries: 1, failures: 1 } })
  })
})

describe('a request that has been given up', () => {
  it('is not counted for the server if the client has left', async ({ expect }) => {
    const abort = new AbortController()
    const { send, asked, counted } = failoverAt({ [A]: 'fails', [B]: 200 }, 'GET', abort)
    abort.abort()
    await expect(send()).rejects.toThrow()
    expect(asked).toHaveLength(1)
    expect(counted()).toBeNull()
  })

  it('is a failure of the server if it took too long, whatever happens later', async ({
    expect,
  }) => {
    for (const later of [200, 'fails'] as const) {
      const { failover, send, asked, counted } = failoverAt({ [A]: later, [B]: 200 })
      const answer = send()
      failover.end(true)
      await answer.catch(() => {})
      expect(asked).toHaveLength(1)
      expect(counted()).toEqual({ [A]: { tries: 1, failures: 1 } })
    }
  })
})
