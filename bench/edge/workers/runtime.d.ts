/**
 * What the Workers beside this file see of the runtime and of the package. The bundler takes the real ones; their own
 * types need the Workers' library, which the rest of the benchmark, in Node, must not see.
 */
declare module 'cloudflare:workers' {
  export class DurableObject {}
}

declare module 'tidegate' {
  import type { MiddlewareHandler } from 'hono'

  export function tidegate(config: unknown): MiddlewareHandler
}

declare module 'tidegate/durable-objects' {
  export class Coordinator {}
  export class Relay {}
}
