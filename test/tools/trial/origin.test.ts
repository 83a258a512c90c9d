import { describe, it } from 'vitest'
import { PAGE_HEADER } from '../../../tools/origin/page-header.ts'
import { startOrigin } from '../../../tools/trial/origin.ts'
import type { OriginWorld } from '../../../tools/trial/trial-case.ts'

/** Nobody is served before the change, so nothing depends on how fast this machine is. */
const WORLD: OriginWorld = {
  servers: 0,
  service: { law: 'constant', meanMs: 1 },
  room: 2,
  changes: [{ atS: 0.2, servers: 1 }],
}

describe('the origin process of a trial', () => {
  it('changes while it runs, answers an error when it is full, and works for those who left', {
    timeout: 20_000,
  }, async ({ expect }) => {
    const origin = await startOrigin({ world: WORLD, seed: 1 })
    try {
      const leaving = new AbortController()
      const staying = fetch(`${origin.url}/buyers/0`)
      const left = fetch(`${origin.url}/buyers/1`, { signal: leaving.signal })
      left.catch(() => {})
      await expect.poll(async () => (await origin.stats()).mostInside).toBe(2)
      const turnedAway = await fetch(`${origin.url}/buyers/2`)
      expect([turnedAway.status, await turnedAway.text()]).toEqual([500, 'Too busy.\n'])
      expect(await origin.stats()).toEqual({ served: 0, wasted: 0, turnedAway: 1, mostInside: 2 })
      leaving.abort()
      await expect(left).rejects.toThrow()
      origin.start()
      const served = await staying
      expect([served.status, served.headers.get(PAGE_HEADER)]).toEqual([200, 'buyers'])
      await expect
        .poll(() => origin.stats())
        .toEqual({ served: 2, wasted: 1, turnedAway: 1, mostInside: 2 })
    } finally {
      await origin.close()
    }
  })

  it('answers attackers without using its servers', { timeout: 20_000 }, async ({ expect }) => {
    const origin = await startOrigin({ world: WORLD, seed: 1 })
    try {
      const statuses = ['304', '302', '404/7'].map(async (path) => {
        const answer = await fetch(`${origin.url}/light/${path}`, { redirect: 'manual' })
        return answer.status
      })
      expect(await Promise.all(statuses)).toEqual([304, 302, 404])
      expect((await origin.stats()).mostInside).toBe(0)
    } finally {
      await origin.close()
    }
  })
})
