import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { acceptEcho } from './demo/echo.ts'
import { type DemoStats, Shop, type ShopOptions } from './demo/shop.ts'

/**
 * The demo's origin: a small shop for a browser. It has a fixed number of servers with one queue,
 * and collapses under a load above its capacity.
 */

interface DemoOriginOptions extends Partial<ShopOptions> {
  /** Port on 127.0.0.1; 0: any free port. */
  readonly port: number
}

/** Four servers at 40 ms per page: two cores can easily send and proxy ten times that load. */
export const DEMO_DEFAULTS = {
  servers: 4,
  meanServiceMs: 40,
  thrash: 400,
  seed: 1,
} as const satisfies ShopOptions

export interface DemoOrigin {
  readonly url: string
  /** Pages per second for visitors with the usual walk through the shop. */
  readonly capacityPerSecond: number
  stats(): DemoStats
  close(): Promise<void>
}

export async function startDemoOrigin(options: DemoOriginOptions): Promise<DemoOrigin> {
  const { port, ...given } = options
  const shop = new Shop({ ...DEMO_DEFAULTS, ...given })
  const server = createServer((request, response) => void shop.answer(request, response))
  const upgraded = new Set<Duplex>()
  server.on('upgrade', (request, socket, head) => {
    upgraded.add(socket)
    socket.on('close', () => upgraded.delete(socket))
    socket.on('error', () => socket.destroy())
    acceptEcho(request, socket, head)
  })
  // Longer than a gate keeps idle connections: the side that reuses a connection should close it.
  server.keepAliveTimeout = 120_000
  // A flash crowd opens many connections at once: they should wait in the kernel and not be
  // refused.
  server.listen({ port, host: '127.0.0.1', backlog: 4096 })
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    capacityPerSecond: shop.capacityPerSecond,
    stats: () => shop.stats(),
    async close() {
      if (!server.listening) return
      shop.restart()
      for (const socket of upgraded) socket.destroy()
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { port: { type: 'string', default: '8788' } } })
  const origin = await startDemoOrigin({ port: Number(values.port) })
  const { servers, meanServiceMs } = origin.stats()
  console.log(
    `Demo origin at ${origin.url}: ${servers} servers x ${meanServiceMs} ms a page = ` +
      `${origin.capacityPerSecond} requests/s. Press Ctrl-C to stop.`,
  )
  process.once('SIGINT', () => void origin.close())
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main()
