import { env } from 'cloudflare:workers'
import { worker } from 'tidegate'
import config from '../tidegate.config.ts'

export { Coordinator, Relay } from 'tidegate/durable-objects'

export default worker(config, env)
