import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { ClientRequest, IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import type { Duplex, Writable } from 'node:stream'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { type LocalGate, startLocalGate } from '../../tools/local-gate.ts'
import {
  answerTo,
  collect,
  cookiesOf,
  nextChunk,
  openRequest,
  send,
} from '../support/e2e/client.ts'
import { BYPASS, countsOf, statusOf, WHEN_REPORTED } from '../support/e2e/figures.ts'
import { ScriptedOrigin } from '../support/e2e/scripted-origin.ts'

let origin: ScriptedOrigin
let gate: LocalGate

beforeAll(async () => {
  origin = await ScriptedOrigin.start()
  const routes = [
    { name: 'live', match: '/live/*' },
    { name: 'remembered', match: '/remembered/*', verdictHeader: true },
    { name: 'site', match: '/*' },
  ].map((route) => ({ ...route, origin: origin.url, bypass: BYPASS, learner: 'fixed' }))
  gate = await startLocalGate({ config: { routes }, port: 0 })
})

afterAll(async () => {
  await gate.close()
  await origin.close()
})

describe('Bodies stream through the gate', () => {
  it('forwards the first piece of an answer before the origin has sent the rest', async ({
    expect,
  }) => {
    const arriving = origin.next('/down')
    const outgoing = openRequest(`${gate.url}/down`).end()
    const { response } = await arriving
    response.write('first')
    const answer = await answerTo(outgoing)
    expect(await nextChunk(answer)).toBe('first')
    response.end('last')
    expect((await collect(answer)).text).toBe('last')
  })

  it('forwards the first piece of an upload before the client has sent the rest', async ({
    expect,
  }) => {
    const arriving = origin.next('/up')
    const outgoing = openRequest(`${gate.url}/up`, { method: 'POST' })
    outgoing.write('first')
    const { request, response } = await arriving
    expect(await nextChunk(request)).toBe('first')
    outgoing.end('last')
    expect(await nextChunk(request)).toBe('last')
    response.end()
    expect((await collect(await answerTo(outgoing))).status).toBe(200)
  })

  it('streams both directions of one request at the same time', async ({ expect }) => {
    origin.on('/echo', ({ request, response }) => request.pipe(response))
    const outgoing = openRequest(`${gate.url}/echo`, { method: 'POST' })
    outgoing.write('ping')
    const answer = await answerTo(outgoing)
    expect(await nextChunk(answer)).toBe('ping')
    outgoing.write('pong')
    expect(await nextChunk(answer)).toBe('pong')
    outgoing.end()
    await collect(answer)
  })

  it('passes 20 MB there and back unchanged, with the length of the upload', async ({ expect }) => {
    const body = randomBytes(20_000_000)
    origin.on('/large', ({ request, response }) => request.pipe(response))
    const answer = await send(`${gate.url}/large`, {
      method: 'PUT',
      body,
      headers: { 'Content-Length': body.length },
    })
    expect(answer.body.equals(body)).toBe(true)
    expect(origin.seen('/large')[0]!.headers['content-length']).toBe('20000000')
  })

  it('accepts an upload that waits for 100 (Continue), as curl does from 1 MB', async ({
    expect,
  }) => {
    const outgoing = openRequest(`${gate.url}/expectant`, {
      method: 'POST',
      headers: { Expect: '100-continue' },
    })
    outgoing.end('body')
    expect((await collect(await answerTo(outgoing))).text).toBe('POST /expectant')
  })

  it('slows down an origin that is faster than its client', async ({ expect }) => {
    const arriving = origin.next('/flood')
    const outgoing = openRequest(`${gate.url}/flood`).end()
    const { response } = await arriving
    const answering = answerTo(outgoing)
    expect(await writeMost(response)).toBeLessThan(100)
    const answer = await answering
    answer.destroy()
  })

  it('slows down a client that is faster than its origin', async ({ expect }) => {
    const arriving = origin.next('/deaf')
    const outgoing = openRequest(`${gate.url}/deaf`, { method: 'POST' })
    outgoing.on('error', () => {})
    outgoing.write('first')
    await arriving
    expect(await writeMost(outgoing)).toBeLessThan(100)
    outgoing.destroy()
  })
})

describe('Event streams', () => {
  it('pass event by event', async ({ expect }) => {
    const arriving = origin.next('/live/prices')
    const outgoing = openRequest(`${gate.url}/live/prices`).end()
    const { response } = await arriving
    response.writeHead(200, { 'Content-Type': 'text/event-stream' })
    response.write('data: 1\n\n')
    const answer = await answerTo(outgoing)
    expect(await nextChunk(answer)).toBe('data: 1\n\n')
    response.write('data: 2\n\n')
    expect(await nextChunk(answer)).toBe('data: 2\n\n')
    response.end()
    await collect(answer)
  })
})

describe('WebSockets', () => {
  it('are upgraded, and the echo returns text and binary messages', async ({ expect }) => {
    const socket = new WebSocket(`${gate.url.replace('http', 'ws')}/live/socket`)
    socket.binaryType = 'arraybuffer'
    await once(socket, 'open')
    socket.send('tide')
    expect(await message(socket)).toBe('tide')
    socket.send(new Uint8Array([1, 2, 3]))
    expect(Buffer.from((await message(socket)) as ArrayBuffer)).toEqual(Buffer.from([1, 2, 3]))
    socket.close(1000)
    const [closed] = (await once(socket, 'close')) as [CloseEvent]
    expect(closed.code).toBe(1000)
    expect(origin.seen('/live/socket')[0]!.headers['x-forwarded-proto']).toBe('http')
  })
})

describe('A session that starts with a WebSocket', () => {
  it('is remembered: the answer sets its cookie', async ({ expect }) => {
    const handshake = (headers: OutgoingHttpHeaders = {}) =>
      openRequest(`${gate.url}/remembered/socket`, {
        headers: {
          Connection: 'Upgrade',
          Upgrade: 'websocket',
          'Sec-WebSocket-Version': '13',
          'Sec-WebSocket-Key': 'AAAAAAAAAAAAAAAAAAAAAA==',
          ...headers,
        },
      }).end()
    const upgrade = async (outgoing: ClientRequest) => {
      const [answer, socket] = (await once(outgoing, 'upgrade')) as [IncomingMessage, Duplex]
      socket.destroy()
      return answer
    }
    const first = await upgrade(handshake())
    expect(first.statusCode).toBe(101)
    expect(first.headers['set-cookie']?.[0]).toMatch(/^tidegate-remembered=/)
    const again = await upgrade(handshake({ Cookie: cookiesOf(first) }))
    expect(again.headers['tidegate-verdict']).toMatch(/^admit; reason=session;/)
    expect(again.headers).not.toHaveProperty('set-cookie')
  })
})

describe('Streams and sockets that stay open', () => {
  it('count as served when they are accepted, and are not samples', async ({ expect }) => {
    await expect
      .poll(() => countsOf(gate, 'live'), WHEN_REPORTED)
      .toMatchObject({ requests: 2, served: 2, inFlight: 0 })
    expect((await statusOf(gate, 'live')).lastMinute.p50Ms).toBeNull()
  })
})

async function message(socket: WebSocket): Promise<unknown> {
  const [event] = (await once(socket, 'message')) as [MessageEvent]
  return event.data
}

/**
 * Writes up to 200 MB, until the other side takes no more. Buffers on the way take a few megabytes. A gate without
 * backpressure would take everything.
 */
async function writeMost(stream: Writable): Promise<number> {
  const megabyte = Buffer.alloc(1_000_000)
  let sent = 0
  while (sent < 200 && (stream.write(megabyte) || (await drained(stream)))) sent++
  return sent
}

/** False: there was no such event, because the other side takes no more. */
async function drained(stream: Writable): Promise<boolean> {
  const signal = AbortSignal.timeout(300)
  return once(stream, 'drain', { signal }).then(
    () => true,
    () => false,
  )
}
