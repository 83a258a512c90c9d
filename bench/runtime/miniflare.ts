import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { COMPATIBILITY } from '../../tools/as-deployed.ts'
import { childrenOf, type Server } from './process.ts'

/** A Worker with the rate-limit binding, which only Miniflare has outside of Cloudflare. */
export async function startWithRateLimit(code: string, perMinute: number): Promise<Server> {
  const others = new Set(childrenOf(process.pid))
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      name: 'limited',
      modules: [{ type: 'ESModule', path: 'worker.js', contents: code }],
      ...COMPATIBILITY,
      cf: false,
      ratelimits: { LIMITER: { namespace_id: '1', simple: { limit: perMinute, period: 60 } } },
      unsafeDirectSockets: [{ host: '127.0.0.1', port: 0 }],
    }),
  )
  const url = await miniflare.unsafeGetDirectURL('limited')
  return {
    url: url.href.replace(/\/$/, ''),
    pids: childrenOf(process.pid).filter((pid) => !others.has(pid)),
    close: () => miniflare.dispose(),
  }
}
