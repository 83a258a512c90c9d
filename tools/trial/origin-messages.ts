import type { OriginWorld } from './trial-case.ts'

/** What the trial and its origin process tell each other. */

/** The argument of the process, as JSON. */
export interface OriginArgument {
  readonly world: OriginWorld
  readonly seed: number
}

export type ToOrigin = 'start' | 'stats'

export type FromOrigin =
  | { readonly kind: 'listening'; readonly url: string }
  | { readonly kind: 'stats'; readonly stats: OriginStats }

export interface OriginStats {
  readonly served: number
  /** Served to clients that had already left. */
  readonly wasted: number
  /** Answered with an error at once, because too much was inside. */
  readonly turnedAway: number
  readonly mostInside: number
}
