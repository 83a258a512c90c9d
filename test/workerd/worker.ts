import { env } from 'cloudflare:workers'
import type { SecretsEnv } from '../../src/config/secrets.ts'
import { worker } from '../../src/entry/worker.ts'

export { Coordinator, Passes, Relay } from '../../durable-objects/index.ts'

/** The stand-alone Worker in front of two origins, of which one has two routes. */
export default worker(
  {
    routes: [
      {
        name: 'shop',
        match: '/shop/*',
        origin: { url: 'https://origin.example.com', name: 'origin' },
        learner: { name: 'fixed', limit: 50 },
      },
      {
        name: 'api',
        match: '/api/*',
        origin: { url: 'https://origin.example.com', name: 'origin' },
        learner: { name: 'fixed', limit: 50 },
        granularity: 'request',
      },
      { name: 'quiet', match: '/quiet/*', origin: 'https://quiet.example.com' },
    ],
  },
  env as SecretsEnv,
)
