import { Hono } from 'hono'

const app = new Hono()

/** What refusing costs at the least in a Hono app. */
app.use(
  async () => new Response(REFUSAL.body, { status: REFUSAL.status, headers: REFUSAL.headers }),
)
app.get('*', (c) => fetch(ORIGIN + c.req.path, c.req.raw))

export default app
