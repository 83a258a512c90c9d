import type { ClientIpSource } from '../config/config.ts'
import type { SecretsPlace } from '../config/secrets.ts'
import { base64url } from '../lib/base64url.ts'
import type { Runtime } from '../lib/runtime.ts'

/** 96 bits. */
const ID_BYTES = 12

/** The real clock, random numbers and timers. */
export const REAL_RUNTIME: Runtime = {
  now: () => Date.now(),
  coin: () => Math.random(),
  id: () => base64url(crypto.getRandomValues(new Uint8Array(ID_BYTES))),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
}

/** Workers name themselves. In every other runtime secrets come from the environment of the process. */
export const SECRETS_PLACE: SecretsPlace =
  typeof navigator !== 'undefined' && navigator.userAgent === 'Cloudflare-Workers'
    ? 'worker'
    : 'process'

/** On Cloudflare only the edge itself can set this header. */
const CLOUDFLARE_HEADER = 'CF-Connecting-IP'

/** Reads the client's address from the configured source; null: unknown. */
export function clientIpFrom(source: ClientIpSource): (request: Request) => string | null {
  if (source === 'none') return () => null
  if (source === 'cloudflare') return (request) => request.headers.get(CLOUDFLARE_HEADER)
  return (request) => lastAddress(request.headers.get(source.header))
}

/** A proxy may append to what the client sent. Only the last address is the proxy's own. */
function lastAddress(list: string | null): string | null {
  return list?.substring(list.lastIndexOf(',') + 1).trim() || null
}
