import { base64url } from '../lib/base64url.ts'
import type { Runtime } from '../lib/runtime.ts'
import { CLIENT_IP } from '../origin/forwarded-headers.ts'

/** 96 bits. */
const ID_BYTES = 12

/** The real clock, random numbers and timers. */
export const REAL_RUNTIME: Runtime = {
  now: () => Date.now(),
  coin: () => Math.random(),
  id: () => base64url(crypto.getRandomValues(new Uint8Array(ID_BYTES))),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
}

/** The client's address on Cloudflare. */
export const cloudflareIp = (request: Request): string | null => request.headers.get(CLIENT_IP)
