import { DurableObject } from 'cloudflare:workers'

interface Env {
  readonly LIMITER: { getByName(name: string): { take(): Promise<boolean> } }
}

/** One token bucket in a Durable Object, as in Cloudflare's examples. Each request asks it. */
export class Limiter extends DurableObject {
  #tokens = LIMIT
  #filledAtMs = 0

  take(): boolean {
    const nowMs = Date.now()
    this.#tokens = Math.min(LIMIT, this.#tokens + ((nowMs - this.#filledAtMs) / 60_000) * LIMIT)
    this.#filledAtMs = nowMs
    if (this.#tokens < 1) return false
    this.#tokens--
    return true
  }
}

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    if (await env.LIMITER.getByName('all').take())
      return fetch(ORIGIN + request.url.substring(request.url.indexOf('/', 8)), request)
    return new Response(REFUSAL.body, { status: REFUSAL.status, headers: REFUSAL.headers })
  },
}
