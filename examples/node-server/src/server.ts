import { serve } from '@hono/node-server'
import { getConnInfo } from '@hono/node-server/conninfo'
import { Hono } from 'hono'
import { InProcessCoordinator, type TidegateVariables, tidegate } from 'tidegate'

const app = new Hono<{ Variables: TidegateVariables }>()

/** The address of the socket. A client can write any header. */
const addresses = new WeakMap<Request, string>()

app.use((c, next) => {
  const { address } = getConnInfo(c).remote
  if (address !== undefined) addresses.set(c.req.raw, address)
  return next()
})

app.use(
  tidegate(
    { routes: [{ name: 'site', match: '/*', sla: { targetMs: 500 } }] },
    {
      coordinator: new InProcessCoordinator(),
      clientIp: (request) => addresses.get(request) ?? null,
      // Set the secret in the environment. Otherwise a restart ends all sessions.
      env: {
        TIDEGATE_SECRET: process.env.TIDEGATE_SECRET ?? crypto.randomUUID() + crypto.randomUUID(),
      },
    },
  ),
)

app.get('/', (c) => c.text(`Hello, you were let in: ${c.get('verdict').reason}\n`))

const server = serve({ fetch: app.fetch, port: Number(process.env.PORT ?? 3000) }, ({ port }) =>
  console.log(`http://127.0.0.1:${port}`),
)
process.on('SIGTERM', () => server.close())
