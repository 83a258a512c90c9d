import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { type LocalGate, startLocalGate } from '../../tools/local-gate.ts'
import { answerTo, collect, openRequest, send } from '../support/e2e/client.ts'
import { BYPASS, countsOf, statusOf, WHEN_REPORTED } from '../support/e2e/figures.ts'
import { ScriptedOrigin } from '../support/e2e/scripted-origin.ts'

let origin: ScriptedOrigin
let gate: LocalGate
const sockets: Socket[] = []

/** Two requests in flight at most; an upload may take one second and a half. */
const CAP = 2
const MAX_MS = 1500

beforeAll(async () => {
  origin = await ScriptedOrigin.start()
  const routes = [
    { name: 'trickle', match: '/trickle/*' },
    { name: 'stream', match: '/stream/*' },
    { name: 'cut', match: '/cut/*' },
    { name: 'small', match: '/small/*', granularity: 'request', maxMs: 60_000 },
    { name: 'large', match: '/large/*', granularity: 'request', maxMs: 60_000 },
    { name: 'crowd', match: '/crowd/*', maxOpen: 4, maxMs: 60_000 },
    { name: 'bad', match: '/bad/*' },
    { name: 'site', match: '/*' },
  ].map(({ maxOpen = 100, maxMs = MAX_MS, ...route }) => ({
    ...route,
    origin: { url: origin.url, name: route.name },
    sla: { targetMs: 500 },
    upload: { maxMs, maxOpen },
    bypass: BYPASS,
    verdictHeader: true,
    learner: { name: 'fixed', inFlight: CAP },
  }))
  gate = await startLocalGate({ config: { routes }, port: 0 })
})

afterAll(async () => {
  for (const socket of sockets) socket.destroy()
  await gate?.close()
  await origin.close()
})

/** A request on a raw socket, so that its body can be late or cut. */
async function write(head: string, body = ''): Promise<Socket> {
  const { hostname, port } = new URL(gate.url)
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true })
  sockets.push(socket)
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.write(`${head} HTTP/1.1\r\nHost: site.example\r\n`)
  socket.write(body)
  return socket
}

async function statusLine(socket: Socket): Promise<string> {
  let seen = ''
  while (!seen.includes('\r\n')) seen += String((await once(socket, 'data'))[0])
  return seen.slice(0, seen.indexOf('\r\n'))
}

const post = (path: string, bytes: number, sent: string) =>
  write(`POST ${path}`, `Content-Length: ${bytes}\r\n\r\n${sent}`)

describe('A body that a client sends slowly', () => {
  it('is not the origin’s time: the origin is asked when a small body is there', async ({
    expect,
  }) => {
    const socket = await post('/trickle/small', 5, 'h')
    // Meanwhile another request goes there and back.
    expect((await send(`${gate.url}/trickle/other`)).status).toBe(200)
    expect(origin.seen('/trickle/small')).toHaveLength(0)
    for (const letter of 'ello') {
      await new Promise((resolve) => setTimeout(resolve, 150))
      socket.write(letter)
    }
    expect(await statusLine(socket)).toBe('HTTP/1.1 200 OK')
    expect(origin.seen('/trickle/small')[0]!.headers['content-length']).toBe('5')
    await expect
      .poll(() => countsOf(gate, 'trickle', '/trickle/carrier'), WHEN_REPORTED)
      .toMatchObject({ requests: 2, served: 2, withinTarget: 2 })
    // The body took 600 ms.
    expect((await statusOf(gate, 'trickle')).lastMinute.p99Ms).toBeLessThan(300)
  })

  it('is not the origin’s time: a large body streams, and is no sample', async ({ expect }) => {
    const arriving = origin.next('/stream/large')
    const socket = await post('/stream/large', 70_000, 'h')
    const { request, response } = await arriving
    request.resume().on('end', () => response.end('done'))
    // Longer than the target.
    await new Promise((resolve) => setTimeout(resolve, 600))
    socket.write('x'.repeat(69_999))
    expect(await statusLine(socket)).toBe('HTTP/1.1 200 OK')
    await expect
      .poll(() => countsOf(gate, 'stream', '/stream/carrier'), WHEN_REPORTED)
      .toMatchObject({ requests: 1, served: 1, inFlight: 0 })
    expect((await statusOf(gate, 'stream')).lastMinute.p99Ms).toBeNull()
  })

  it.concurrent.for([
    ['small', 'POST', 'Content-Length: 5\r\n\r\nh'],
    ['large', 'POST', 'Content-Length: 70000\r\n\r\nh'],
    ['of unknown length', 'PUT', 'Transfer-Encoding: chunked\r\n\r\n1\r\nh\r\n'],
    ['of a GET request', 'GET', 'Content-Length: 5\r\n\r\nh'],
  ] as const)('and never ends is answered with 408: %s', async ([, method, body], { expect }) => {
    const socket = await write(`${method} /cut/never`, body)
    expect(await statusLine(socket)).toBe('HTTP/1.1 408 Request Timeout')
  })

  it('or cuts is abandoned, and no failure of the origin', async ({ expect }) => {
    for (const bytes of [10, 70_000]) {
      const socket = await post('/cut/fin', bytes, 'hello')
      socket.end()
      expect(await statusLine(socket)).toBe('HTTP/1.1 400 Bad Request')
    }
    await expect
      .poll(() => countsOf(gate, 'cut', '/cut/carrier'), WHEN_REPORTED)
      .toMatchObject({ requests: 6, abandoned: 6, failed: 0, inFlight: 0 })
  })

  it.for([
    ['small', 70],
    ['large', 70_000],
  ] as const)('holds no place in the in-flight cap: %s', async ([size, bytes], { expect }) => {
    const page = `${gate.url}/${size}/page`
    const verdict = async () => String((await send(page)).headers['tidegate-verdict'])
    // The cap is in force when requests that wait for the origin fill it.
    const held: ServerResponse[] = []
    origin.on(`/${size}/wait`, ({ response }) => held.push(response))
    const fillAndAsk = () => {
      openRequest(`${gate.url}/${size}/wait`)
        .on('error', () => {})
        .end()
      return verdict()
    }
    await expect.poll(fillAndAsk, WHEN_REPORTED).toMatch(/^refuse; reason=full;/)
    origin.on(`/${size}/wait`, ({ response }) => response.end('done'))
    for (const response of held) response.end('done')
    await expect.poll(verdict, WHEN_REPORTED).toMatch(/^admit;/)

    const uploads: Socket[] = []
    for (let i = 0; i < 3 * CAP; i++) uploads.push(await post(`/${size}/${i}`, bytes, 'h'))
    for (let i = 0; i < 5; i++) expect(await verdict()).toMatch(/^admit;/)
    // None is refused, and none is over.
    expect(uploads.map(({ bytesRead }) => bytesRead)).toEqual(uploads.map(() => 0))
  })

  it('has a cap of its own on open uploads, and its place is given back', async ({ expect }) => {
    const upload = () => {
      const outgoing = openRequest(`${gate.url}/crowd/a`, { method: 'POST' })
      outgoing.on('error', () => {})
      outgoing.write('first')
      return outgoing
    }
    const arriving = [1, 2, 3, 4].map(() => origin.next('/crowd/a'))
    const open = [1, 2, 3, 4].map(upload)
    const exchanges = await Promise.all(arriving)
    const fifth = await collect(await answerTo(upload()))
    expect(fifth.headers['tidegate-verdict']).toMatch(/^refuse; reason=uploads;/)
    // Small bodies and pages pass meanwhile.
    const small = await send(`${gate.url}/crowd/small`, { method: 'POST', body: 'hello' })
    expect(small.status).toBe(200)
    open[0]!.end('last')
    open[1]!.socket!.resetAndDestroy()
    for (const { request, response } of exchanges)
      request
        .on('error', () => {})
        .resume()
        .on('end', () => response.end('done'))
    expect((await collect(await answerTo(open[0]!))).text).toBe('done')
    const next = [1, 2].map(() => origin.next('/crowd/a'))
    await expect
      .poll(async () => {
        const trial = upload()
        const refusal = answerTo(trial).then(() => false)
        return Promise.race([refusal, Promise.race(next).then(() => true)])
      })
      .toBe(true)
  })
})

describe('A request that fails at the gate', () => {
  it('is answered with 400 and is no failure of the origin', async ({ expect }) => {
    const chunked = 'Transfer-Encoding: chunked\r\n\r\n1\r\nh\r\n0\r\n\r\n'
    expect(await statusLine(await write('GET /bad/body', chunked))).toBe('HTTP/1.1 400 Bad Request')
    await expect
      .poll(() => countsOf(gate, 'bad', '/bad/carrier'), WHEN_REPORTED)
      .toMatchObject({ requests: 1, failed: 0, abandoned: 1, inFlight: 0 })
  })
})
