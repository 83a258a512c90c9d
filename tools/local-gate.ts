import { randomBytes } from 'node:crypto'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { bundleWorker } from './bundle.ts'

export interface LocalGateOptions {
  /** As a user writes it. */
  readonly config: unknown
  /** 0: any that is free. */
  readonly port: number
  /** Where knowledge is kept over restarts; absent: nowhere. */
  readonly persist?: string
  readonly secrets?: Readonly<Record<string, string>>
}

export interface LocalGate {
  readonly url: string
  readonly adminToken: string
  readonly secrets: Readonly<Record<string, string>>
  close(): Promise<void>
}

/** `compatibility_date` and flags of wrangler.toml: a test keeps them equal. */
export const COMPATIBILITY = {
  compatibilityDate: '2026-09-01',
  compatibilityFlags: ['enable_request_signal'],
}

/**
 * The Worker as it is deployed, in workerd on this machine. Requests reach it directly: Miniflare's own
 * entry Worker would take three quarters of the speed.
 */
export async function startLocalGate(options: LocalGateOptions): Promise<LocalGate> {
  const secrets = options.secrets ?? {
    TIDEGATE_SECRET: randomBytes(32).toString('hex'),
    TIDEGATE_ADMIN_TOKEN: randomBytes(16).toString('hex'),
  }
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      name: 'tidegate',
      modules: [
        { type: 'ESModule', path: 'index.js', contents: await bundleWorker(options.config) },
      ],
      ...COMPATIBILITY,
      bindings: secrets,
      cf: false,
      // Miniflare would look through each request to the origin for it, and halve the speed.
      stripCfConnectingIp: false,
      durableObjects: {
        TIDEGATE_COORDINATOR: { className: 'Coordinator', useSQLite: true },
        TIDEGATE_RELAY: { className: 'Relay', useSQLite: true },
      },
      unsafeDirectSockets: [{ host: '127.0.0.1', port: options.port }],
      ...(options.persist === undefined ? {} : { resourcePersistencePath: options.persist }),
    }),
  )
  const url = await miniflare.unsafeGetDirectURL('tidegate')
  return {
    url: url.href.replace(/\/$/, ''),
    adminToken: secrets.TIDEGATE_ADMIN_TOKEN!,
    secrets,
    close: () => miniflare.dispose(),
  }
}
