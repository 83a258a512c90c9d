/** Why there is no answer. */
export type NoAnswer = 'unreachable' | 'too-slow' | 'client-gone'

/** The result of a request to the origin. */
export type Forwarded =
  | {
      readonly response: Response
      /** Does the response time measure the origin? With a large upload it also contains the client's time. */
      readonly isTimely: boolean
    }
  | { readonly response: null; readonly why: NoAnswer }
