import type { UrlParts } from './url.ts'

/** What rules may look at. On Cloudflare `cf` is set by the edge, and so is the client's address. */
export interface RequestView {
  readonly request: Request
  readonly headers: Headers
  readonly url: UrlParts
  readonly ip: string | null
  /** The `Cookie` header. */
  readonly cookies: string | null
}

/**
 * What rules read of one request: each header at most once, and none that no rule asks for. To read one is to
 * cross over into the runtime, which costs as much as some ten rules.
 */
export class RequestAttributes {
  readonly #headers = new Map<string, string | null>()
  #subject: RequestView | null = null
  #query: URLSearchParams | null = null

  /** Begins with another request. */
  start(subject: RequestView): void {
    this.#subject = subject
    if (this.#headers.size > 0) this.#headers.clear()
    this.#query = null
  }

  /** Keeps nothing of a request that may be gone. */
  end(): void {
    this.#subject = null
  }

  get subject(): RequestView {
    return this.#subject!
  }

  header(name: string): string | null {
    let value = this.#headers.get(name)
    if (value === undefined) {
      value = this.subject.headers.get(name)
      this.#headers.set(name, value)
    }
    return value
  }

  query(name: string): string | null {
    this.#query ??= new URLSearchParams(this.subject.url.query)
    return this.#query.get(name)
  }
}
