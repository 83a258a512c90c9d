/**
 * Cloudflare's network answers for a server that it could not connect to: refused, timed out, no route, no TLS, no
 * such name. Such an answer means the same as a `fetch` that fails, which is what other runtimes do.
 */
const NOT_REACHED: ReadonlySet<number> = new Set([521, 522, 523, 525, 526, 530])

/** `fetch` that throws where no server has answered. */
export async function fetchOrThrow(
  request: Request,
  signal: AbortSignal | null,
): Promise<Response> {
  const response = await (signal === null ? fetch(request) : fetch(request, { signal }))
  if (!NOT_REACHED.has(response.status)) return response
  await response.body?.cancel()
  throw new Error(`The server could not be reached: ${response.status}`)
}
