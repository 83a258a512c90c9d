import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { type LocalGate, startLocalGate } from '../../tools/local-gate.ts'
import { send } from '../support/e2e/client.ts'
import { BYPASS, countsOf, WHEN_REPORTED } from '../support/e2e/figures.ts'
import { ScriptedOrigin } from '../support/e2e/scripted-origin.ts'

let origin: ScriptedOrigin
let gate: LocalGate
const sockets: Socket[] = []

beforeAll(async () => {
  origin = await ScriptedOrigin.start()
  const routes = [
    { name: 'slow', match: '/slow/*' },
    { name: 'site', match: '/*' },
  ].map((route) => ({
    ...route,
    origin: { url: origin.url, name: route.name },
    sla: { targetMs: 1000 },
    bypass: BYPASS,
    learner: { name: 'fixed', limit: 1000 },
  }))
  gate = await startLocalGate({ config: { routes }, port: 0 })
})

afterAll(async () => {
  for (const socket of sockets) socket.destroy()
  await gate?.close()
  await origin.close()
})

async function open(text: string): Promise<Socket> {
  const { hostname, port } = new URL(gate.url)
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true })
  sockets.push(socket)
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.write(text)
  return socket
}

/** Everything that comes until the gate has answered and closed, or the text that follows was answered. */
async function until(socket: Socket, done: (seen: string) => boolean): Promise<string> {
  let seen = ''
  for await (const data of socket) {
    seen += String(data)
    if (done(seen)) break
  }
  return seen
}

const INNER = 'GET /smuggled HTTP/1.1\r\nHost: a.example\r\nX: '

/** Two readings of where a request ends. The inner request is the rest in one of them. */
const SMUGGLED: readonly (readonly [string, string])[] = [
  [
    'Content-Length and Transfer-Encoding',
    `Content-Length: ${INNER.length + 5}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${INNER}`,
  ],
  [
    'Transfer-Encoding with a space before the colon',
    `Content-Length: ${INNER.length + 5}\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n${INNER}`,
  ],
  [
    'Transfer-Encoding of another spelling',
    `Content-Length: ${INNER.length + 5}\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${INNER}`,
  ],
  ['two lengths', `Content-Length: 0\r\nContent-Length: ${INNER.length}\r\n\r\n${INNER}`],
  ['a length with a sign', `Content-Length: +${INNER.length}\r\n\r\n${INNER}`],
  [
    'a folded header',
    `X-A: b\r\n Content-Length: 0\r\nContent-Length: ${INNER.length}\r\n\r\n${INNER}`,
  ],
]

describe('A request with two ends', () => {
  it.for(SMUGGLED)('is one request for the origin, or none: %s', async ([, rest], { expect }) => {
    const smuggled = () => origin.seen('/smuggled').length
    const before = smuggled()
    const socket = await open(`POST /outer HTTP/1.1\r\nHost: a.example\r\n${rest}`)
    const answer = await until(socket, (seen) => seen.includes('\r\n\r\n'))
    expect(answer).toMatch(/^HTTP\/1\.1 \d{3} /)
    // The connection to the origin is not poisoned: the next visitors get their own answers.
    for (let i = 0; i < 3; i++) {
      origin.on(`/mine/${i}`, ({ response }) => response.end(`mine ${i}`))
      expect(String((await send(`${gate.url}/mine/${i}`)).body)).toBe(`mine ${i}`)
    }
    expect(smuggled() - before).toBe(0)
  })
})

describe('Headers that are too large', () => {
  it('are answered by an error of the client, and the gate goes on', async ({ expect }) => {
    const socket = await open(
      `GET /big HTTP/1.1\r\nHost: a.example\r\nX: ${'x'.repeat(1_000_000)}\r\n\r\n`,
    )
    const answer = await until(socket, (seen) => seen.includes('\r\n'))
    expect(answer).toMatch(/^(HTTP\/1\.1 4\d\d |$)/)
    expect(origin.seen('/big')).toHaveLength(0)
    expect((await send(`${gate.url}/after`)).status).toBe(200)
  })
})

describe('A client that reads slowly', () => {
  it('is not the origin’s time, and holds no place', async ({ expect }) => {
    origin.on('/slow/page', ({ response }) => response.end(Buffer.alloc(4_000_000)))
    for (let i = 0; i < 5; i++) {
      const socket = await open('GET /slow/page HTTP/1.1\r\nHost: a.example\r\n\r\n')
      socket.pause()
      await once(socket, 'readable')
    }
    await expect
      .poll(() => countsOf(gate, 'slow', '/slow/carrier'), WHEN_REPORTED)
      .toMatchObject({ requests: 5, served: 5, withinTarget: 5, inFlight: 0, failed: 0 })
  })
})
