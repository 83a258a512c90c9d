import { Hono } from 'hono'
import { tidegate } from 'tidegate'

export { Coordinator, Relay } from 'tidegate/durable-objects'

const app = new Hono()

app.use(tidegate(CONFIG))
app.get('*', (c) => fetch(ORIGIN + c.req.path, c.req.raw))

export default app
