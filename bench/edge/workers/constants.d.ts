/** Constants that the bundler replaces in the Workers beside this file. */

/** Where admitted requests go. */
declare const ORIGIN: string

/** The refusal: the same bytes and headers as those of the gate. */
declare const REFUSAL: {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Requests per minute that a limiter admits. */
declare const LIMIT: number

/** What a proxy does in addition to forwarding. */
declare const PARTS: readonly string[]

/** The configuration of the gate. */
declare const CONFIG: never
