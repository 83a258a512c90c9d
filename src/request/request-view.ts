import type { UrlParts } from './url.ts'

/** A request, as far as rules read it. On Cloudflare the edge sets `cf` and the client's address. */
export interface RequestView {
  readonly request: Request
  readonly headers: Headers
  readonly url: UrlParts
  readonly ip: string | null
  /** The `Cookie` header. */
  readonly cookies: string | null
  /** Absent: it does not matter. */
  readonly arrivedAtMs?: number
  /** A pass that was in the query. `url` does not have it any more. */
  readonly pass?: string | undefined
}
