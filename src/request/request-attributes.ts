import type { RequestView } from './request-view.ts'

/** What is known of a request that it does not say itself. */
export interface KnownOfRequest {
  /** Does it have a valid pass? */
  readonly hasPass: boolean
  /** The part of the origin that its path needs most; null: unknown. */
  readonly tierOf: (path: string) => string | null
}

export const NOTHING_KNOWN: KnownOfRequest = { hasPass: false, tierOf: () => null }

/** What match rules read of one request. Each read of a header is a call into the runtime, so it is read once. */
export class RequestAttributes {
  readonly view: RequestView
  readonly #headers = new Map<string, string | null>()
  #query: URLSearchParams | null = null

  readonly known: KnownOfRequest

  constructor(view: RequestView, known: KnownOfRequest) {
    this.view = view
    this.known = known
  }

  header(name: string): string | null {
    let value = this.#headers.get(name)
    if (value === undefined) {
      value = this.view.headers.get(name)
      this.#headers.set(name, value)
    }
    return value
  }

  query(name: string): string | null {
    this.#query ??= new URLSearchParams(this.view.url.query)
    return this.#query.get(name)
  }
}
