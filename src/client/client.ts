/** `fetch` for programs and pages behind a waiting room. The ticket travels in a header, so that no cookie is needed. */

/** What a waiting client is told. */
export interface WaitingAnswer {
  readonly position: number | null
  readonly estimatedWaitS: { readonly from: number; readonly to: number }
  readonly retryAfterS: number
}

export interface WaitOptions {
  /** Is told the place and the estimated wait, each time it waits. */
  readonly onWait?: (waiting: WaitingAnswer) => void
  /** The longest wait in all. Default: an hour. */
  readonly maxWaitMs?: number
  /** Used instead of the global `fetch`. */
  readonly fetch?: typeof fetch
}

const HEADER = 'Tidegate-Ticket'

/** By site: the ticket, and later the session. */
const tickets = new Map<string, string>()

/**
 * Like `fetch`. An answer that asks to wait is followed by another try, when it is time.
 *
 * @example
 * const answer = await waitingFetch('https://shop.example.com/api/cart', { onWait: ({ position }) => show(position) })
 */
export async function waitingFetch(
  input: string | URL,
  { onWait, maxWaitMs = 3_600_000, fetch: send = fetch, ...init }: RequestInit & WaitOptions = {},
): Promise<Response> {
  const { origin } = new URL(input, (globalThis as { location?: { href: string } }).location?.href)
  const endMs = Date.now() + maxWaitMs
  for (;;) {
    const headers = new Headers(init.headers)
    const ticket = tickets.get(origin)
    if (ticket) headers.set(HEADER, ticket)
    if (!headers.has('Accept')) headers.set('Accept', 'application/json, application/problem+json')
    const answer = await send(input, { ...init, headers })
    const given = answer.headers.get(HEADER)
    if (given) tickets.set(origin, given)
    const isProblem = answer.headers.get('Content-Type')?.startsWith('application/problem+json')
    if (!given || !isProblem) return answer
    const waiting = (await answer.clone().json()) as WaitingAnswer
    const waitMs = waiting.retryAfterS * 1000
    if (!(waitMs >= 0) || Date.now() + waitMs > endMs) return answer
    onWait?.(waiting)
    await pause(waitMs, init.signal)
  }
}

const pause = (ms: number, signal?: AbortSignal | null): Promise<void> =>
  new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const timer = setTimeout(resolve, ms)
    signal?.addEventListener('abort', () => {
      clearTimeout(timer)
      reject(signal.reason)
    })
  })
