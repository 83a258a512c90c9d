import type { OriginEvent } from '../src/coordinator/operator/records.ts'
import { ApiError, api, type ShownStatus } from './api.ts'

export interface LiveHandlers {
  status(status: ShownStatus): void
  event(event: OriginEvent): void
  /** How the figures come: a WebSocket, polling, or not at all. */
  state(state: 'live' | 'polling' | 'lost'): void
  signedOut(): void
}

const POLL_MS = 2000
const RETRY_MS = 5000
/** An idle gate sends nothing. Its status is read again after this time, so that no old sentence stays. */
const IDLE_MS = 10_000
/** Without a word for this long the connection is taken for dead. */
const SILENT_MS = 15_000

/** Follows the status of one route: by WebSocket, and by polling while there is none. Returns a function that stops it. */
export function follow(route: string, handlers: LiveHandlers): () => void {
  let isStopped = false
  let socket: WebSocket | null = null
  let heardMs = 0
  let newestMs = 0
  let timer = 0

  const later = (work: () => void, ms: number): void => {
    clearTimeout(timer)
    if (!isStopped) timer = window.setTimeout(work, ms)
  }

  const show = (status: ShownStatus): void => {
    newestMs = Date.now()
    handlers.status(status)
  }

  const poll = async (): Promise<void> => {
    try {
      const status = await api.status(route)
      if (isStopped) return
      show(status)
      if (Date.now() - heardMs > POLL_MS) handlers.state('polling')
    } catch (error) {
      if (isStopped) return
      if (error instanceof ApiError && error.status === 401) return handlers.signedOut()
      handlers.state('lost')
    }
  }

  const connect = (): void => {
    const url = new URL(`/_tidegate/api/v1/routes/${encodeURIComponent(route)}/live`, location.href)
    url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:'
    socket = new WebSocket(url)
    socket.onmessage = ({ data }) => {
      heardMs = Date.now()
      // Also by the answer to a ping: an idle gate has no news.
      handlers.state('live')
      const message = readMessage(data)
      if (message?.type === 'status') show(message.status)
      if (message?.type === 'event') handlers.event(message.event)
    }
    socket.onclose = () => {
      socket = null
      if (!isStopped) void poll().then(() => later(connect, RETRY_MS))
    }
    heardMs = Date.now()
  }

  // The status is polled while nothing comes over the WebSocket: a proxy may not let it pass.
  const watch = window.setInterval(() => {
    const silentMs = Date.now() - heardMs
    if (silentMs > POLL_MS || Date.now() - newestMs > IDLE_MS) void poll()
    if (silentMs > SILENT_MS) socket?.close()
    else if (socket?.readyState === WebSocket.OPEN) socket.send('ping')
  }, POLL_MS)

  void poll()
  connect()
  return () => {
    isStopped = true
    clearTimeout(timer)
    clearInterval(watch)
    socket?.close()
  }
}

type Message =
  | { readonly type: 'status'; readonly status: ShownStatus }
  | { readonly type: 'event'; readonly event: OriginEvent }

function readMessage(data: unknown): Message | null {
  if (typeof data !== 'string' || data === 'pong') return null
  try {
    return JSON.parse(data) as Message
  } catch {
    return null
  }
}
