/**
 * The origin of a gate as Cloudflare Containers. Containers are scaled by hand: a Worker spreads requests over N
 * instances. Here N is what Tidegate wants. The gate's `origin` is the address of this Worker.
 */
interface Env {
  /** The class extends `Container` of `@cloudflare/containers`. */
  readonly SHOP: DurableObjectNamespace
  /** `https://shop.example.com` */
  readonly GATE: string
  readonly TIDEGATE_ADMIN_READ_TOKEN: string
}

interface Answer {
  readonly tiers: Readonly<Record<string, { readonly desired: number; readonly min: number }>>
}

const TIER = 'app'
const ROUTE = 'shop'
const ASK_EVERY_MS = 15_000

let instances = 1
let askedAtMs = 0

export default {
  async fetch(request, env, ctx) {
    if (Date.now() - askedAtMs > ASK_EVERY_MS) {
      askedAtMs = Date.now()
      // Not on the request's way: the next requests use the new number.
      ctx.waitUntil(ask(env))
    }
    const index = Math.floor(Math.random() * instances)
    return await env.SHOP.getByName(`instance-${index}`).fetch(request)
  },
} satisfies ExportedHandler<Env>

/** An instance that gets no more requests goes to sleep by itself (`sleepAfter`). */
async function ask(env: Env): Promise<void> {
  const response = await fetch(`${env.GATE}/_tidegate/api/v1/routes/${ROUTE}/capacity`, {
    headers: { Authorization: `Bearer ${env.TIDEGATE_ADMIN_READ_TOKEN}` },
  })
  if (!response.ok) return
  const { tiers } = (await response.json()) as Answer
  instances = Math.max(1, tiers[TIER]?.desired ?? instances)
}
