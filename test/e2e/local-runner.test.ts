import { once } from 'node:events'
import { describe, it } from 'vitest'
import { startWorkerd } from '../../tools/workerd/run.ts'

const ANSWERING = 'export default { fetch() { return new Response("hello") } }'

/** Runs a Worker that does `work` with `caches.default` as `cache`, and returns the result. */
async function withCache(work: string): Promise<unknown> {
  const code = `export default {
    async fetch() {
      const cache = caches.default
      const key = 'https://plan.invalid/shop'
      const textOf = async (found) => (found ? [found.status, await found.text()] : null)
      return Response.json(await (async () => { ${work} })())
    }
  }`
  const workerd = await startWorkerd([{ name: 'caching', code }])
  try {
    return await (await fetch(workerd.urlOf('caching'))).json()
  } finally {
    await workerd.close()
  }
}

const put = (cacheControl: string): string =>
  `await cache.put(key, new Response('größer', { headers: { 'Cache-Control': '${cacheControl}' } }))`

describe.concurrent('workerd on this machine', () => {
  it('keeps an answer in its cache, byte for byte', async ({ expect }) => {
    const found = await withCache(`${put('max-age=60')}; return textOf(await cache.match(key))`)
    expect(found).toEqual([200, 'größer'])
  })

  it('does not find entries that were not stored, or have expired', async ({ expect }) => {
    expect(await withCache('return textOf(await cache.match(key))')).toBe(null)
    const old = await withCache(`${put('max-age=0')}; return textOf(await cache.match(key))`)
    expect(old).toBe(null)
  })

  it('deletes entries from its cache, and reports whether they existed', async ({ expect }) => {
    const found = await withCache(
      `${put('max-age=60')}; return [await cache.delete(key), await cache.delete(key), await textOf(await cache.match(key))]`,
    )
    expect(found).toEqual([true, false, null])
  })

  it('reports that a port is in use, and leaves no process', async ({ expect }) => {
    const first = await startWorkerd([{ name: 'first', code: ANSWERING }])
    const port = Number(new URL(first.urlOf('first')).port)
    const second = startWorkerd([{ name: 'second', code: ANSWERING, port }])
    await expect(second).rejects.toThrow('Address already in use')
    await first.close()
    await first.ended
  })

  it('reports the error of a Worker that does not load', async ({ expect }) => {
    const code = 'throw new Error("no secret")'
    await expect(startWorkerd([{ name: 'broken', code }])).rejects.toThrow('no secret')
  })

  it('serves several Workers, and reports its end', async ({ expect }) => {
    const names = ['one', 'two']
    const workerd = await startWorkerd(
      names.map((name) => ({ name, code: ANSWERING.replace('hello', name) })),
    )
    for (const name of names) expect(await (await fetch(workerd.urlOf(name))).text()).toBe(name)
    const closed = once(workerd.stderr, 'close')
    process.kill(workerd.pid, 'SIGTERM')
    await Promise.all([workerd.ended, closed])
    await workerd.close()
  })
})
