import type { OriginEvent } from '../src/coordinator/operator/records.ts'
import type { RouteStatus } from '../src/coordinator/operator/route-status.ts'

/** More viewers than this are refused: they can poll. */
const MOST_VIEWERS = 200
/** The answer to the relay is on its way by then. */
const AFTER_MS = 5

/** The WebSockets of those who watch an origin. They are held by the runtime and survive the object's hibernation. */
export class LiveView {
  readonly #ctx: DurableObjectState
  readonly #statusOf: (route: string) => RouteStatus | undefined
  #isDue = false
  /** Asking the runtime makes an object for each socket, so this is kept. It may say true for a tick too long. */
  #hasViewers: boolean

  constructor(ctx: DurableObjectState, statusOf: (route: string) => RouteStatus | undefined) {
    this.#ctx = ctx
    this.#statusOf = statusOf
    this.#hasViewers = ctx.getWebSockets().length > 0
    // On Node there are no WebSockets: see node/objects.ts.
    if (typeof WebSocketRequestResponsePair !== 'undefined')
      ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair('ping', 'pong'))
  }

  get hasViewers(): boolean {
    return this.#hasViewers
  }

  open(request: Request): Response {
    if (request.headers.get('Upgrade') !== 'websocket') return new Response(null, { status: 426 })
    if (this.#ctx.getWebSockets().length >= MOST_VIEWERS) return new Response(null, { status: 503 })
    const route = new URL(request.url).searchParams.get('route') ?? ''
    const { 0: client, 1: server } = new WebSocketPair()
    this.#ctx.acceptWebSocket(server)
    this.#hasViewers = true
    server.serializeAttachment(route)
    const status = this.#statusOf(route)
    if (status !== undefined) server.send(statusMessage(status))
    return new Response(null, { status: 101, webSocket: client })
  }

  /** After the tick: viewers must not make the relays wait for their answer. */
  update(): void {
    if (this.#isDue || !this.#hasViewers) return
    this.#isDue = true
    setTimeout(() => {
      this.#isDue = false
      this.#send()
    }, AFTER_MS)
  }

  /** Each viewer gets the status of its route. It is computed once for all viewers of the route. */
  #send(): void {
    const sockets = this.#ctx.getWebSockets()
    this.#hasViewers = sockets.length > 0
    const messages = new Map<string, string | null>()
    for (const socket of sockets) {
      const route = String(socket.deserializeAttachment())
      if (!messages.has(route)) {
        const status = this.#statusOf(route)
        messages.set(route, status === undefined ? null : statusMessage(status))
      }
      const message = messages.get(route)!
      if (message !== null) send(socket, message)
    }
  }

  tell(event: OriginEvent): void {
    if (!this.#hasViewers) return
    const sockets = this.#ctx.getWebSockets()
    const message = JSON.stringify({ type: 'event', event })
    for (const socket of sockets) send(socket, message)
  }
}

const statusMessage = (status: RouteStatus): string => JSON.stringify({ type: 'status', status })

/** A socket may have closed a moment ago. */
function send(socket: WebSocket, message: string): void {
  try {
    socket.send(message)
  } catch {
    // Nobody is there to read it.
  }
}
