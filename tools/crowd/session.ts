/** One visitor's session, drawn in advance. Nothing in it depends on the answers. */

export interface Page {
  /** Only an answer that the origin marks with this word is this page. */
  readonly kind: string
  readonly path: string
  /** The origin marks nothing: any answer with a status of 200 to 299 is this page. */
  readonly isUnmarked?: boolean
}

export interface Session {
  readonly atMs: number
  readonly pages: readonly Page[]
  /** For each page: the time from its arrival until the next request. */
  readonly thinkMs: readonly number[]
}
