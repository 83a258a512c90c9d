import { once } from 'node:events'
import { test as base, describe } from 'vitest'
import type { DemoStats } from '../../tools/demo/shop.ts'
import { DOWNLOAD_CHUNK_BYTES, DOWNLOAD_CHUNKS } from '../../tools/demo/streams.ts'
import { type DemoOrigin, startDemoOrigin } from '../../tools/demo-origin.ts'

const it = base.extend<{ origin: DemoOrigin }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest wants a fixture's first parameter destructured
  origin: async ({}, use) => {
    const origin = await startDemoOrigin({ port: 0, servers: 1, meanServiceMs: 20, seed: 3 })
    await use(origin)
    await origin.close()
  },
})

/** Pages requested so far: how many are still waiting depends on how fast they came. */
function arrivedAt(origin: DemoOrigin): number {
  const { queueLength, inFlight, served } = origin.stats()
  return queueLength + inFlight + served
}

const PAGES = [
  '/',
  '/search',
  '/product/1',
  '/cart',
  '/checkout',
  '/',
  '/search',
  '/cart',
  '/',
  '/',
]

describe('the demo origin', () => {
  it('knows its capacity: 4 servers x 40 ms = 100 requests/s', async ({ expect }) => {
    const origin = await startDemoOrigin({ port: 0 })
    expect(origin.capacityPerSecond).toBe(100)
    await origin.close()
  })

  it('says how long a page waited and how long it took', async ({ expect, origin }) => {
    const response = await fetch(`${origin.url}/product/3`)
    expect(response.status).toBe(200)
    expect(response.headers.get('demo-page')).toBe('product')
    expect(response.headers.get('server-timing')).toMatch(/^app;dur=\d+\.\d, queue;dur=0\.0$/)
    expect(await response.text()).toContain('Storm lantern')
  })

  it('has the stated number of servers: with one, ten pages take the sum of their times', async ({
    expect,
    origin,
  }) => {
    const startMs = performance.now()
    const answers = await Promise.all(PAGES.map((path) => fetch(origin.url + path)))
    const timings = answers.map(({ headers }) => headers.get('server-timing')!)
    const [app, queue] = ['app', 'queue'].map((metric) =>
      timings.map((timing) => Number(new RegExp(`${metric};dur=([\\d.]+)`).exec(timing)![1])),
    )
    const totalMs = app!.reduce((sum, ms) => sum + ms)
    expect(performance.now() - startMs).toBeGreaterThan(totalMs - 1) // rounded to 0.1 ms each
    expect(Math.max(...queue!)).toBeGreaterThan(0)
  })

  it('still works for clients that have left', async ({ expect, origin }) => {
    const client = new AbortController()
    const asked = Array.from({ length: 60 }, () =>
      fetch(`${origin.url}/cart`, { signal: client.signal }),
    )
    const answers = Promise.allSettled(asked)
    while (arrivedAt(origin) < asked.length) await new Promise(setImmediate)
    client.abort()
    await answers
    const leftOver = origin.stats().queueLength
    await (await fetch(`${origin.url}/`)).text()
    const { served, wasted } = origin.stats()
    expect(leftOver).toBeGreaterThan(20)
    expect(served).toBeGreaterThan(leftOver)
    expect(wasted).toBeGreaterThan(leftOver - 10) // the next few may go out before the resets arrive
  })

  it('drops its queue when it is restarted', async ({ expect, origin }) => {
    const asked = Array.from({ length: 60 }, () => fetch(`${origin.url}/checkout`))
    const answers = Promise.allSettled(asked)
    while (arrivedAt(origin) < asked.length) await new Promise(setImmediate)
    await fetch(`${origin.url}/_demo/restart`, { method: 'POST' })
    expect((await answers).some(({ status }) => status === 'rejected')).toBe(true)
    const stats = (await (await fetch(`${origin.url}/_demo/stats`)).json()) as DemoStats
    expect(stats).toMatchObject({ queueLength: 0, inFlight: 0, capacityPerSecond: 50 })
  })

  it('keeps a cart across pages', async ({ expect, origin }) => {
    const added = await fetch(`${origin.url}/cart?add=2`)
    const [cookie] = added.headers.getSetCookie()[0]!.split(';')
    const checkout = await fetch(`${origin.url}/checkout`, { headers: { cookie: cookie! } })
    expect(await checkout.text()).toContain('Brass compass')
    const paid = await fetch(`${origin.url}/checkout`, { method: 'POST' })
    expect(await paid.text()).toContain('Thank you')
  })

  it('escapes what a visitor searches for', async ({ expect, origin }) => {
    const page = await (await fetch(`${origin.url}/search?q=%22%3E%3Cscript%3Ealert`)).text()
    expect(page).not.toContain('<script>alert')
    expect(page).toContain('&#60;script&#62;alert')
  })

  it('answers assets, health and unknown addresses without queueing', async ({
    expect,
    origin,
  }) => {
    const image = await fetch(`${origin.url}/static/wave.svg`, { headers: { range: 'bytes=0-3' } })
    expect([image.status, await image.text()]).toEqual([206, '<svg'])
    expect((await fetch(`${origin.url}/health`)).status).toBe(200)
    expect((await fetch(`${origin.url}/nowhere`)).status).toBe(404)
    expect((await fetch(`${origin.url}//`)).status).toBe(400)
    expect((await fetch(`${origin.url}/`, { method: 'HEAD' })).headers.get('demo-page')).toBe(
      'home',
    )
    expect(origin.stats().served).toBe(1)
  })

  it('streams events and a slow download, and stops when the client leaves', async ({
    expect,
    origin,
  }) => {
    const events = await fetch(`${origin.url}/events`)
    expect(events.headers.get('content-type')).toBe('text/event-stream')
    const first = await events.body!.getReader().read()
    expect(new TextDecoder().decode(first.value)).toMatch(/^data: \{.*"queueLength":0.*\}\n\n$/)
    const client = new AbortController()
    const download = await fetch(`${origin.url}/download`, { signal: client.signal })
    const bytes = Number(download.headers.get('content-length'))
    expect(bytes).toBe(DOWNLOAD_CHUNK_BYTES * DOWNLOAD_CHUNKS)
    const chunk = await download.body!.getReader().read()
    expect(chunk.value!.length).toBeLessThan(bytes)
    client.abort()
  })

  it('echoes over a WebSocket', async ({ expect, origin }) => {
    const socket = new WebSocket(`${origin.url.replace('http', 'ws')}/echo`)
    await once(socket, 'open')
    socket.send('ahoy')
    const [message] = (await once(socket, 'message')) as [MessageEvent]
    expect(message.data).toBe('ahoy')
    socket.close(1000)
    const [closed] = (await once(socket, 'close')) as [CloseEvent]
    expect(closed.code).toBe(1000)
  })
})
