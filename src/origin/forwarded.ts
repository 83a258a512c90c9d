import type { NoBody } from './request-body.ts'

/**
 * Why there is no answer. `unsendable`: the runtime cannot send such a request. It and `slow-upload` are the client's
 * doing.
 */
export type NoAnswer = 'unreachable' | 'too-slow' | 'unsendable' | NoBody

/** The result of a request to the origin. */
export type Forwarded =
  | {
      readonly response: Response
      /** Does the response time measure the origin? With a large upload it also contains the client's time. */
      readonly isTimely: boolean
    }
  | {
      readonly response: null
      readonly why: NoAnswer
      /** What the runtime said, for the log. */
      readonly cause?: unknown
    }
