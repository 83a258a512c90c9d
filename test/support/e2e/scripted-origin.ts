import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { acceptEcho } from '../../../tools/demo/echo.ts'
import { type Origin, startOrigin } from './origin.ts'

export interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

export type Handler = (exchange: Exchange) => void

/** An origin that answers as the test says, request by request, and records the requests. */
export class ScriptedOrigin {
  readonly #handlers = new Map<string, Handler>()
  readonly #awaited = new Map<string, Handler[]>()
  readonly #seen: IncomingMessage[] = []
  readonly #upgraded = new Set<Duplex>()
  #origin!: Origin

  static async start(port = 0): Promise<ScriptedOrigin> {
    const scripted = new ScriptedOrigin()
    const origin = await startOrigin((request, response) => {
      scripted.#take({ request, response })
    }, port)
    origin.server.on('upgrade', (request, socket, head) => {
      scripted.#seen.push(request)
      scripted.#upgraded.add(socket)
      socket.on('error', () => socket.destroy())
      acceptEcho(request, socket, head)
    })
    scripted.#origin = origin
    return scripted
  }

  get url(): string {
    return this.#origin.url
  }

  get port(): number {
    return Number(new URL(this.url).port)
  }

  /** All requests on this path so far. */
  seen(path: string): readonly IncomingMessage[] {
    return this.#seen.filter((request) => pathOf(request) === path)
  }

  /** Sets the answer to requests on this path from now on. */
  on(path: string, handler: Handler): void {
    this.#handlers.set(path, handler)
  }

  /** The next request on this path, for the test to answer. */
  next(path: string): Promise<Exchange> {
    const { promise, resolve } = Promise.withResolvers<Exchange>()
    this.#awaited.set(path, [...(this.#awaited.get(path) ?? []), resolve])
    return promise
  }

  async close(): Promise<void> {
    for (const socket of this.#upgraded) socket.destroy()
    await this.#origin.close()
  }

  #take(exchange: Exchange): void {
    const { request, response } = exchange
    this.#seen.push(request)
    const path = pathOf(request)
    const handler = this.#awaited.get(path)?.shift() ?? this.#handlers.get(path)
    if (handler) handler(exchange)
    else request.resume().on('end', () => response.end(`${request.method} ${request.url}`))
  }
}

function pathOf({ url = '/' }: IncomingMessage): string {
  return url.split('?', 1)[0]!
}
