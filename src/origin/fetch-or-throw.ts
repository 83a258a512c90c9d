/**
 * Cloudflare's network answers with these if it cannot connect to a server: refused, timed out, no route, no TLS, no
 * such name. In other runtimes `fetch` rejects instead.
 */
const NOT_REACHED: ReadonlySet<number> = new Set([521, 522, 523, 525, 526, 530])

/** A `fetch` that throws if no server has answered. */
export async function fetchOrThrow(
  request: Request,
  signal: AbortSignal | null,
): Promise<Response> {
  const response = await (signal === null ? fetch(request) : fetch(request, { signal }))
  if (!NOT_REACHED.has(response.status)) return response
  await response.body?.cancel()
  throw new Error(`The server could not be reached: ${response.status}`)
}
