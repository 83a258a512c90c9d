import { Hono, type MiddlewareHandler } from 'hono'
import { rateLimiter } from 'hono-rate-limiter'

const app = new Hono()
let limiter: MiddlewareHandler | null = null

app.use((c, next) => {
  // Its memory store starts a timer, which a Worker may do only during a request.
  limiter ??= rateLimiter({
    windowMs: 60_000,
    limit: LIMIT,
    keyGenerator: () => 'all',
    handler: (c) => c.body(REFUSAL.body, REFUSAL.status as 503, REFUSAL.headers),
  })
  return limiter(c, next)
})
app.get('*', (c) => fetch(ORIGIN + c.req.path, c.req.raw))

export default app
