import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocketServer } from 'ws'

const server = new WebSocketServer({ noServer: true, maxPayload: 65_535 })

/** Answers an upgrade with a WebSocket that sends each message back. */
export function acceptEcho(request: IncomingMessage, socket: Duplex, head: Buffer): void {
  server.handleUpgrade(request, socket, head, (client) => {
    client.on('message', (data, isBinary) => client.send(data, { binary: isBinary }))
    // `ws` closes the connection itself. Without a listener the error would end the process.
    client.on('error', () => {})
  })
}
