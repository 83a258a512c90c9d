import { env } from 'cloudflare:workers'
import config from '../tidegate.config.ts'
import type { SecretsEnv } from './config/secrets.ts'
import { worker } from './worker.ts'

export { Coordinator, Relay } from '../durable-objects/index.ts'

/** Without its secrets, or with a faulty config, this module does not load, and says why. */
export default worker(config, env as SecretsEnv)
