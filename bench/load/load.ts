/** The requests that every variant of a group gets. */
export interface Load {
  readonly headers: Readonly<Record<string, string>>
  /** The requests take turns. */
  readonly requests: readonly LoadRequest[]
  readonly connections: number
}

export interface LoadRequest {
  readonly path: string
  /** The `Cookie` header. */
  readonly cookie: string
}

/** The result of one slice of load. */
export interface Slice {
  readonly requests: number
  readonly ms: number
  /** Responses with status 4xx or 5xx. */
  readonly unsuccessful: number
  /** Failed connections and missing responses. */
  readonly broken: number
}

/** What a browser sends on its first visit. */
export const BROWSER_HEADERS = {
  'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0',
  Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'Accept-Language': 'en-GB,en;q=0.7,de;q=0.3',
  'Accept-Encoding': 'gzip, deflate, br, zstd',
  'Upgrade-Insecure-Requests': '1',
  'Sec-Fetch-Dest': 'document',
  'Sec-Fetch-Mode': 'navigate',
  'Sec-Fetch-Site': 'none',
} as const
