/** Why there is no answer. */
export type NoAnswer = 'unreachable' | 'too-slow' | 'client-gone'

/** What came of a request to the origin. */
export type Forwarded =
  | {
      readonly response: Response
      /** Does the response time tell of the origin? Not where the client's own upload took its part. */
      readonly isTimely: boolean
    }
  | { readonly response: null; readonly why: NoAnswer }
