/**
 * Cloudflare's network answers with these if it cannot connect to a server: refused, timed out, no route, no TLS, no
 * such name. In other runtimes `fetch` rejects instead.
 */
const NOT_REACHED: ReadonlySet<number> = new Set([521, 522, 523, 525, 526, 530])

export const isNotReached = (status: number): boolean => status > 520 && NOT_REACHED.has(status)

/** A `fetch` that throws if no server has answered. */
export async function fetchOrThrow(
  request: Request,
  signal: AbortSignal | null,
): Promise<Response> {
  const response = await (signal === null ? fetch(request) : fetch(request, { signal }))
  if (!isNotReached(response.status)) return response
  await response.body?.cancel()
  throw new Error(`The server could not be reached: ${response.status}`)
}
