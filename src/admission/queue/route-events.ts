import type { QueueEvent } from '../../config/config.ts'
import { type EventPhase, phaseAt } from './event-phase.ts'

/**
 * The events of a route: those of the configuration, then those that operators made. An event of an operator replaces the
 * configured one of the same name.
 */
export class RouteEvents {
  readonly #configured: readonly QueueEvent[]
  #made: readonly QueueEvent[] | undefined
  #all: readonly QueueEvent[]

  constructor(configured: readonly QueueEvent[]) {
    this.#configured = configured
    this.#all = configured
  }

  /** `made` are those of the plan. */
  follow(made: readonly QueueEvent[] | undefined): void {
    if (made === this.#made) return
    this.#made = made
    const names = new Set(made?.map(({ name }) => name))
    this.#all = [...this.#configured.filter(({ name }) => !names.has(name)), ...(made ?? [])]
  }

  phaseAt(nowMs: number): EventPhase | null {
    return this.#all.length === 0 ? null : phaseAt(this.#all, nowMs)
  }
}
