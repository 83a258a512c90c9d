/**
 * Cloudflare's network answers for a server that it could not connect to: refused, timed out, no way to it, no
 * TLS, no such name. Such an answer says as much as a `fetch` that fails, which is what other runtimes do.
 */
const NOT_REACHED: ReadonlySet<number> = new Set([521, 522, 523, 525, 526, 530])

/** `fetch`, where no server's answer is an error. */
export async function fetchOrThrow(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, init)
  if (!NOT_REACHED.has(response.status)) return response
  await response.body?.cancel()
  throw new Error(`The server could not be reached: ${response.status}`)
}
