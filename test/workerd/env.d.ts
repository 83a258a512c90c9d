/** The bindings and variables of this folder's wrangler.toml. */
declare namespace Cloudflare {
  interface Env {
    readonly TIDEGATE_COORDINATOR: DurableObjectNamespace<
      import('../../durable-objects/index.ts').Coordinator
    >
    readonly TIDEGATE_RELAY: DurableObjectNamespace<import('../../durable-objects/index.ts').Relay>
    readonly TIDEGATE_SECRET: string
    readonly TIDEGATE_ADMIN_TOKEN: string
    readonly TIDEGATE_ADMIN_READ_TOKEN: string
    readonly TIDEGATE_WEBHOOK_SECRET: string
  }
}
