import type { RequestView } from './request-view.ts'

/** What match rules read of one request. Each read of a header is a call into the runtime, so it is read once. */
export class RequestAttributes {
  readonly view: RequestView
  readonly #headers = new Map<string, string | null>()
  #query: URLSearchParams | null = null

  /** Does it have a valid pass? */
  readonly hasPass: boolean

  constructor(view: RequestView, hasPass = false) {
    this.view = view
    this.hasPass = hasPass
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
