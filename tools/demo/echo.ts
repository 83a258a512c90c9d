import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { acceptKey, closeFrame, echoOf, formatFrame, OPCODE, parseFrame } from './web-socket.ts'

/** Answers an upgrade with a WebSocket that says everything again. */
export function acceptEcho(request: IncomingMessage, socket: Duplex, head: Buffer): void {
  const key = request.headers['sec-websocket-key']
  if (key === undefined || request.headers.upgrade?.toLowerCase() !== 'websocket') {
    socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n')
    return
  }
  socket.write(
    'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' +
      `Sec-WebSocket-Accept: ${acceptKey(key)}\r\n\r\n`,
  )
  let unread = head
  const onData = (chunk: Buffer) => {
    unread = unread.length === 0 ? chunk : Buffer.concat([unread, chunk])
    unread = echoAll(unread, socket)
  }
  socket.on('data', onData)
  if (head.length > 0) onData(Buffer.alloc(0))
}

/** Echoes all whole frames and returns the bytes that are left over. */
function echoAll(bytes: Buffer, socket: Duplex): Buffer {
  let rest = bytes
  while (!socket.writableEnded) {
    const parsed = parseFrame(rest)
    if (parsed.kind === 'more') return rest
    if (parsed.kind === 'broken') {
      socket.end(formatFrame(closeFrame(parsed.code)))
      break
    }
    rest = parsed.rest
    const echo = echoOf(parsed.frame)
    if (echo !== null) socket.write(formatFrame(echo))
    if (parsed.frame.opcode === OPCODE.close) socket.end()
  }
  return Buffer.alloc(0)
}
