import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { it as base, describe } from 'vitest'
import { acceptEcho } from '../../../tools/demo/echo.ts'

const it = base.extend<{ port: number }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest wants a fixture's first parameter destructured
  port: async ({}, use) => {
    const server = createServer()
    server.on('upgrade', acceptEcho)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    await use((server.address() as AddressInfo).port)
    server.close()
  },
})

async function connect(port: number): Promise<WebSocket> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/echo`)
  socket.binaryType = 'arraybuffer'
  await once(socket, 'open')
  return socket
}

describe('the echo', () => {
  it('sends text back as text and bytes as bytes', async ({ expect, port }) => {
    const socket = await connect(port)
    for (const sent of ['ahoy', new Uint8Array([0, 128, 255]).buffer]) {
      socket.send(sent)
      const [message] = (await once(socket, 'message')) as [MessageEvent]
      expect(message.data).toEqual(sent)
    }
    socket.close()
  })

  it('closes with the code of the client', async ({ expect, port }) => {
    const socket = await connect(port)
    socket.close(4000)
    const [closed] = (await once(socket, 'close')) as [CloseEvent]
    expect(closed.code).toBe(4000)
  })

  it('closes with 1009 after a message of 64 KB', async ({ expect, port }) => {
    const socket = await connect(port)
    socket.send('x'.repeat(65_536))
    const [closed] = (await once(socket, 'close')) as [CloseEvent]
    expect(closed.code).toBe(1009)
  })

  it('answers 400 to an upgrade to another protocol', async ({ expect, port }) => {
    const headers = { connection: 'Upgrade', upgrade: 'h2c' }
    const [response] = await once(request({ port, host: '127.0.0.1', headers }).end(), 'response')
    expect(response.statusCode).toBe(400)
    response.resume()
  })
})
