import type { Duplex } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { acceptEcho } from './demo/echo.ts'
import { type DemoStats, Shop, type ShopOptions } from './demo/shop.ts'
import { startServer } from './origin/server.ts'

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
  const { server, url, close } = await startServer(port, (request, response) =>
    shop.answer(request, response),
  )
  const upgraded = new Set<Duplex>()
  server.on('upgrade', (request, socket, head) => {
    upgraded.add(socket)
    socket.on('close', () => upgraded.delete(socket))
    socket.on('error', () => socket.destroy())
    acceptEcho(request, socket, head)
  })
  return {
    url,
    capacityPerSecond: shop.capacityPerSecond,
    stats: () => shop.stats(),
    async close() {
      shop.restart()
      for (const socket of upgraded) socket.destroy()
      await close()
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
