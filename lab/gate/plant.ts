import type { ClientsFactory } from '../clients/clients.ts'
import type { Change } from '../origins/changes.ts'
import type { OriginFactory } from '../origins/origin.ts'

/** An origin and its clients: everything except the policy. */
export interface Plant {
  readonly granularity: 'session' | 'request'
  readonly sla: PlantSla
  readonly origin: OriginFactory
  readonly clients: ClientsFactory
  /** Names of the clients' tiers, by number. @default one, 'all' */
  readonly tiers?: readonly string[]
  /** In the order of the clients' class numbers. @default one, of value 1 */
  readonly classes?: readonly PlantClass[]
  readonly changes?: readonly Change[]
  /** How long the gate waits for an answer; then the request has failed. @default for ever */
  readonly timeoutMs?: number
}

export interface PlantSla {
  readonly percentile: number
  readonly targetMs: number
  readonly windowMs: number
}

export interface PlantClass {
  readonly name: string
  readonly value: number
  /** Guaranteed admissions per second. @default 0 */
  readonly guaranteed?: number
}

export const ONE_TIER: readonly string[] = ['all']
export const ONE_CLASS: readonly PlantClass[] = [{ name: 'all', value: 1 }]

/** Name of the route and of the origin in the product's configuration. */
export const ROUTE = 'lab'
export const classKey = ({ name }: PlantClass): string => `${ROUTE}/${name}`
