import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

interface OriginServer {
  readonly server: Server
  readonly url: string
  /** Cuts all connections. */
  close(): Promise<void>
}

/** The HTTP server of a simulated origin, on 127.0.0.1. */
export async function startServer(
  port: number,
  answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
): Promise<OriginServer> {
  const server = createServer((request, response) => void answer(request, response))
  // Longer than a gate keeps idle connections: the side that reuses a connection should close it.
  server.keepAliveTimeout = 120_000
  // A flash crowd opens many connections at once: they should wait in the kernel and not be
  // refused.
  server.listen({ port, host: '127.0.0.1', backlog: 4096 })
  await once(server, 'listening')
  return {
    server,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      if (!server.listening) return
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
