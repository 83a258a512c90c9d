import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { type LocalGate, startLocalGate } from '../../tools/local-gate.ts'
import { answerTo, nextChunk, openRequest, send } from '../support/e2e/client.ts'
import { BYPASS, countsOf, WHEN_REPORTED } from '../support/e2e/figures.ts'
import { type Exchange, ScriptedOrigin } from '../support/e2e/scripted-origin.ts'

let origin: ScriptedOrigin
let gate: LocalGate

beforeAll(async () => {
  origin = await ScriptedOrigin.start()
  const routes = [
    { name: 'uncounted', match: '/off/*', mode: 'off' },
    { name: 'events', match: '/events/*' },
    { name: 'late', match: '/late/*' },
    { name: 'early', match: '/early/*' },
    { name: 'upload', match: '/upload' },
    { name: 'broken', match: '/broken/*' },
    { name: 'site', match: '/*', bypass: BYPASS },
  ].map((route) => ({ ...route, origin: origin.url, learner: 'fixed' }))
  gate = await startLocalGate({ config: { routes }, port: 0 })
})

afterAll(async () => {
  await gate?.close()
  await origin.close()
})

/** True: the gate closed this request before its answer was complete. */
async function brokenOff({ response }: Exchange): Promise<boolean> {
  await once(response, 'close', { signal: AbortSignal.timeout(5000) })
  return !response.writableFinished
}

/** A request on a raw socket, so that its connection can be reset. */
async function write(text: string): Promise<Socket> {
  const { hostname, port } = new URL(gate.url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.write(text)
  return socket
}

async function received(socket: Socket, text: string): Promise<void> {
  let seen = ''
  while (!seen.includes(text)) seen += String((await once(socket, 'data'))[0])
}

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: site.example\r\n\r\n`

describe('A client that leaves ends the request to the origin', () => {
  it.for(['/late/quiet', '/off/quiet', '/events/quiet'])(
    'with a reset after the headers, while the origin is silent, on %s',
    async (path, { expect }) => {
      const arriving = origin.next(path)
      const socket = await write(get(path))
      const exchange = await arriving
      const type = path.startsWith('/events') ? 'text/event-stream' : 'text/plain'
      exchange.response.writeHead(200, { 'Content-Type': type }).write('first')
      await received(socket, 'first')
      const gone = brokenOff(exchange)
      socket.resetAndDestroy()
      expect(await gone).toBe(true)
    },
  )

  it.for(['/late/busy', '/off/busy'])(
    'by closing its connection in the middle of a download, on %s',
    async (path, { expect }) => {
      const arriving = origin.next(path)
      const outgoing = openRequest(`${gate.url}${path}`).end()
      const exchange = await arriving
      const more = setInterval(() => exchange.response.write('more'), 20)
      const answer = await answerTo(outgoing)
      await nextChunk(answer)
      const gone = brokenOff(exchange)
      answer.destroy()
      expect(await gone).toBe(true)
      clearInterval(more)
    },
  )

  it('with a reset before the headers', async ({ expect }) => {
    const arriving = origin.next('/early/reset')
    const socket = await write(get('/early/reset'))
    const gone = brokenOff(await arriving)
    socket.resetAndDestroy()
    expect(await gone).toBe(true)
  })

  it.for([
    ['Content-Length: 100000', 'first'],
    ['Transfer-Encoding: chunked', '5\r\nfirst\r\n'],
  ] as const)(
    'by closing in the middle of its upload, sent with %s',
    async ([length, body], { expect }) => {
      // On a connection that was used before, like most connections.
      await send(`${gate.url}/before`)
      const arriving = origin.next('/upload')
      const socket = await write(`POST /upload HTTP/1.1\r\nHost: site.example\r\n${length}\r\n\r\n`)
      socket.write(body)
      const { request } = await arriving
      expect(await nextChunk(request)).toBe('first')
      const cut = once(request, 'error')
      socket.destroy()
      request.resume()
      await cut
      // The origin must not take a part of the body for the whole.
      expect(request.complete).toBe(false)
    },
  )

  it('and is counted as abandoned before the headers and during the upload, but as served after the headers', async ({
    expect,
  }) => {
    for (const [route, served, abandoned] of [
      ['late', 2, 0],
      ['early', 0, 1],
      ['upload', 0, 2],
    ] as const)
      await expect
        .poll(() => countsOf(gate, route), WHEN_REPORTED)
        .toMatchObject({ requests: served + abandoned, served, failed: 0, abandoned, inFlight: 0 })
  })
})

describe('An origin that closes in the middle of its answer', () => {
  it('is visible: a client that knows the length notices the cut', async ({ expect }) => {
    const arriving = origin.next('/broken/length')
    const outgoing = openRequest(`${gate.url}/broken/length`).end()
    const { response } = await arriving
    response.writeHead(200, { 'Content-Length': 100 }).write('first')
    const answer = await answerTo(outgoing)
    await nextChunk(answer)
    const cut = once(answer, 'error')
    response.destroy()
    answer.resume()
    await cut
    expect(answer.complete).toBe(false)
    // The headers had arrived, and only they count.
    await expect
      .poll(() => countsOf(gate, 'broken'), WHEN_REPORTED)
      .toMatchObject({ requests: 1, served: 1, failed: 0, inFlight: 0 })
  })
})
