import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Origin {
  readonly server: Server
  readonly url: string
  close(): Promise<void>
}

/** A real HTTP server on this machine; port 0: any free port. */
export async function startOrigin(answer: RequestListener, port = 0): Promise<Origin> {
  const server = createServer(answer)
  // Longer than any test, so that the gate closes idle connections and not the origin.
  server.keepAliveTimeout = 120_000
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    server,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
