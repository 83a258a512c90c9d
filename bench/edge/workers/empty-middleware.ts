import { Hono } from 'hono'

const app = new Hono()

/** The least that refusing can cost in a Hono app. */
app.use(
  async () => new Response(REFUSAL.body, { status: REFUSAL.status, headers: REFUSAL.headers }),
)
app.get('*', (c) => fetch(ORIGIN + c.req.path, c.req.raw))

export default app
