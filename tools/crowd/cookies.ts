/** One visitor's cookies for one site: names and values. A server may delete them. */
export class CookieJar {
  readonly #cookies = new Map<string, string>()
  #header: string | undefined

  /** Value of the Cookie header; undefined if there are none. */
  get header(): string | undefined {
    return this.#header
  }

  store(setCookie: string | readonly string[] | undefined): void {
    if (setCookie === undefined) return
    for (const line of typeof setCookie === 'string' ? [setCookie] : setCookie) this.#put(line)
    const pairs = Array.from(this.#cookies, ([name, value]) => `${name}=${value}`)
    this.#header = pairs.length > 0 ? pairs.join('; ') : undefined
  }

  #put(line: string): void {
    const end = line.indexOf(';')
    const pair = end === -1 ? line : line.slice(0, end)
    const equals = pair.indexOf('=')
    if (equals < 1) return
    const name = pair.slice(0, equals).trim()
    if (end !== -1 && /;\s*max-age=(0|-\d+)\s*(;|$)/i.test(line.slice(end))) {
      this.#cookies.delete(name)
      return
    }
    this.#cookies.set(name, pair.slice(equals + 1).trim())
  }
}
