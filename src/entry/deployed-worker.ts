import { env } from 'cloudflare:workers'
import type { SecretsEnv } from '../config/secrets.ts'
import config from './deployed-config.ts'
import { standAlone } from './stand-alone.ts'

export { Coordinator, Passes, Relay } from '../../durable-objects/index.ts'

/** If a secret is missing, this module does not load, and its error names the secret. */
export default standAlone(config, env as SecretsEnv)
