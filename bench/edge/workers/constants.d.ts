/** What the bundler writes into the Workers beside this file. */

/** Where admitted requests go. */
declare const ORIGIN: string

/** The answer to the refused: the very bytes and headers that the gate gives. */
declare const REFUSAL: {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** How many a limiter lets in, per minute. */
declare const LIMIT: number

/** What a proxy does beyond passing on. */
declare const PARTS: readonly string[]

/** The configuration of the gate. */
declare const CONFIG: never
