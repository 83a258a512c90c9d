import type { Operator } from '../../coordinator/operator/action.ts'

/** Who asks, and what they may do. */
export interface Identity extends Operator {
  readonly role: Role
}

/** `read` sees everything and changes nothing. */
export type Role = 'read' | 'write'
