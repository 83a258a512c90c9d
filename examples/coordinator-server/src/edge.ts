import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { httpCoordinator, type TidegateVariables, tidegate } from 'tidegate'
import config from './tidegate.config.ts'

/** An edge on another platform, or on another machine. It reports to the server. */
const secret = process.env.TIDEGATE_SECRET ?? ''
const url = process.env.COORDINATOR_URL ?? 'http://127.0.0.1:3000'

const app = new Hono<{ Variables: TidegateVariables }>()
app.use(
  tidegate(config, {
    coordinator: httpCoordinator({ url, secret }),
    env: { TIDEGATE_SECRET: secret },
  }),
)
app.get('/', (c) => c.text(`Hello, you were let in: ${c.get('verdict').reason}\n`))

const server = serve({ fetch: app.fetch, port: Number(process.env.PORT ?? 3001) }, ({ port }) =>
  console.log(`http://127.0.0.1:${port}`),
)
process.once('SIGTERM', () => server.close())
