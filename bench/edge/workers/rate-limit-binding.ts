interface Env {
  readonly LIMITER: { limit(options: { key: string }): Promise<{ success: boolean }> }
}

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const { success } = await env.LIMITER.limit({ key: 'all' })
    if (success) return fetch(ORIGIN + request.url.substring(request.url.indexOf('/', 8)), request)
    return new Response(REFUSAL.body, { status: REFUSAL.status, headers: REFUSAL.headers })
  },
}
