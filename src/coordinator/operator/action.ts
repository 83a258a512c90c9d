import type { Mode } from '../../config/config.ts'

/** What an operator can do to a route, from the page, the API or the command line. */
export type OperatorAction = OverrideChange | CapacityAction | ForgetAction

/** A setting that holds instead of the configured one. */
export type OverrideChange =
  | { readonly action: 'mode'; readonly mode: Mode }
  /** In the route's granularity. It holds for all routes of the origin, which share its capacity. */
  | { readonly action: 'limit'; readonly limit: number }
  | { readonly action: 'target'; readonly targetMs: number }
  | { readonly action: 'value'; readonly class: string; readonly value: number }
  | { readonly action: 'guaranteed'; readonly class: string; readonly guaranteed: number }

/** The origin has more or less capacity, in any unit. */
interface CapacityAction {
  readonly action: 'capacity'
  readonly before: number
  readonly after: number
}

/** What was learned about the origin no longer holds. */
interface ForgetAction {
  readonly action: 'forget'
}

export const isOverride = (action: OperatorAction): action is OverrideChange =>
  action.action !== 'capacity' && action.action !== 'forget'

/** Who acts: a name, and how it is known. */
export interface Operator {
  readonly by: string
  readonly via: 'token' | 'cookie' | 'access'
}
