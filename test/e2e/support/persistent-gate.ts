import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { bundleWorker } from '../../../tools/bundle.ts'
import { COMPATIBILITY, type LocalGate } from '../../../tools/local-gate.ts'

export interface PersistentGateOptions {
  readonly config: unknown
  /** The folder that outlives the runtime. */
  readonly persist: string
  readonly secrets: Readonly<Record<string, string>> & { readonly TIDEGATE_ADMIN_TOKEN: string }
}

/** The Worker in workerd, whose Durable Objects find their storage again after a restart. */
export async function startPersistentGate(options: PersistentGateOptions): Promise<LocalGate> {
  const { config, persist, secrets } = options
  const contents = await bundleWorker(config)
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      name: 'tidegate',
      modules: [{ type: 'ESModule', path: 'index.js', contents }],
      ...COMPATIBILITY,
      bindings: secrets,
      cf: false,
      durableObjects: {
        TIDEGATE_COORDINATOR: { className: 'Coordinator', useSQLite: true },
        TIDEGATE_RELAY: { className: 'Relay', useSQLite: true },
      },
      unsafeDirectSockets: [{ host: '127.0.0.1', port: 0 }],
      resourcePersistencePath: persist,
    }),
  )
  const url = await miniflare.unsafeGetDirectURL('tidegate')
  return {
    url: url.href.replace(/\/$/, ''),
    adminToken: secrets.TIDEGATE_ADMIN_TOKEN,
    secrets,
    close: () => miniflare.dispose(),
  }
}
