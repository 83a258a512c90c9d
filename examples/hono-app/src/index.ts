import { Hono } from 'hono'
import { type TidegateVariables, tidegate } from 'tidegate'

export { Coordinator, Relay } from 'tidegate/durable-objects'

const app = new Hono<{ Variables: TidegateVariables }>()

app.use(
  tidegate({
    routes: [
      { name: 'api', match: '/api/*', granularity: 'request', sla: { targetMs: 300 } },
      { name: 'site', match: '/*', bypass: [{ path: '/health' }] },
    ],
  }),
)

app.get('/health', (c) => c.text('ok'))
app.get('/api/articles', (c) => c.json([{ id: 1, title: 'High tide' }]))
app.get('/', (c) => c.html(`<h1>News</h1><p>Admitted: ${c.get('verdict').reason}</p>`))

export default app
