import { serve } from '@hono/node-server'
import { coordinatorServer } from 'tidegate/node'
import config from './tidegate.config.ts'

const coordinator = coordinatorServer({
  config,
  folder: process.env.DATA ?? 'data',
  env: process.env,
})

const server = serve(
  { fetch: coordinator.fetch, port: Number(process.env.PORT ?? 3000) },
  ({ port }) => console.log(`http://127.0.0.1:${port}`),
)

for (const signal of ['SIGTERM', 'SIGINT'] as const)
  process.once(signal, () => server.close(() => coordinator.close()))
