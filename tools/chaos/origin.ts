import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { LiveStation } from '../origin/live-station.ts'
import type { OriginFault } from './faults.ts'

const SERVERS = 4
const SERVICE_MS = 50

/** An origin with room for 80 pages a second that can fail in several ways. */
export class ChaosOrigin {
  readonly #station = new LiveStation({ servers: SERVERS })
  #server!: Server
  #port = 0
  #fault: OriginFault | null = null
  /** Answers that hang until the fault is over. */
  readonly #hanging = new Set<ServerResponse>()

  static async start(): Promise<ChaosOrigin> {
    const origin = new ChaosOrigin()
    await origin.#listen()
    return origin
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  /** null: it works again. */
  async setFault(fault: OriginFault | null): Promise<void> {
    const before = this.#fault
    this.#fault = fault
    if (fault === 'down') await this.close()
    else if (before === 'down') await this.#listen()
    for (const response of this.#hanging) response.end('late')
    this.#hanging.clear()
  }

  async close(): Promise<void> {
    if (!this.#server.listening) return
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.#server.closeAllConnections()
    await closed
  }

  async #listen(): Promise<void> {
    this.#server = createServer((request, response) => void this.#answer(request, response))
    this.#server.keepAliveTimeout = 120_000
    this.#server.listen(this.#port, '127.0.0.1')
    await once(this.#server, 'listening')
    this.#port = (this.#server.address() as AddressInfo).port
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('error', () => {})
    if (this.#fault === 'hanging') return void this.#hanging.add(response)
    if (this.#fault === 'resetting') return void request.socket.resetAndDestroy()
    await this.#station.serve(SERVICE_MS)
    if (this.#fault !== 'broken bodies') return void response.end('a page')
    response.writeHead(200, { 'Content-Length': 100_000 })
    response.write('the beginning of a page', () => request.socket.destroy())
  }
}
