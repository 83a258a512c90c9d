import { bundle } from '../runtime/bundle.ts'
import { startWithRateLimit } from '../runtime/miniflare.ts'
import { startNginx } from '../runtime/nginx.ts'
import type { Server } from '../runtime/process.ts'
import type { WorkerCode } from '../runtime/workerd.ts'
import type { Openness } from './gate.ts'
import type { Refusal } from './refusal.ts'

export interface Surroundings {
  readonly origin: string
  readonly refusal: Refusal
  readonly openness: Openness
}

/** A limit that refuses nothing, and one that refuses nearly everything. */
const limitOf = (openness: Openness): number => (openness === 'open' ? 1_000_000_000 : 1)

async function codeOf(
  name: string,
  { origin, refusal, openness }: Surroundings,
  parts: readonly string[] = [],
): Promise<string> {
  const { code } = await bundle(`bench/edge/workers/${name}.ts`, {
    ORIGIN: origin,
    REFUSAL: refusal,
    LIMIT: limitOf(openness),
    PARTS: parts,
  })
  return code
}

/** One of the Workers in `workers/`. */
export async function worker(name: string, around: Surroundings): Promise<WorkerCode> {
  return { code: await codeOf(name, around) }
}

/** A bare proxy with these additional parts. */
export async function proxyWith(
  parts: readonly string[],
  around: Surroundings,
): Promise<WorkerCode> {
  return { code: await codeOf('proxy-with', around, parts) }
}

export async function objectLimiter(around: Surroundings): Promise<WorkerCode> {
  return { code: await codeOf('object-limiter', around), objects: { LIMITER: 'Limiter' } }
}

export async function startRateLimitBinding(around: Surroundings): Promise<Server> {
  return startWithRateLimit(await codeOf('rate-limit-binding', around), limitOf(around.openness))
}

/** `limit_req` in front of the same origin, with the same refusal page. */
export function startLimitReq({ origin, refusal, openness }: Surroundings): Promise<Server> {
  const rate = openness === 'open' ? '1000000r/s' : '1r/m'
  const burst = openness === 'open' ? 'burst=100000 nodelay' : ''
  const headers = Object.entries(refusal.headers)
    .filter(([name]) => name !== 'content-type')
    .map(([name, value]) => `add_header ${name} ${JSON.stringify(value)} always;`)
  return startNginx({
    http: `
      limit_req_zone $binary_remote_addr zone=all:1m rate=${rate};
      limit_req_log_level info;
      upstream origin { server ${new URL(origin).host}; keepalive 64; }`,
    server: `
      error_page ${refusal.status} /busy.html;
      location = /busy.html { internal; default_type text/html; ${headers.join(' ')} }
      location / {
        limit_req zone=all ${burst};
        limit_req_status ${refusal.status};
        proxy_http_version 1.1;
        proxy_set_header Connection "";
        proxy_pass http://origin;
      }`,
    files: { 'busy.html': refusal.body },
  })
}
