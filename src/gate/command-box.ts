import { TwoGenerationCache } from '../lib/two-generation-cache.ts'
import {
  hasCommands,
  markOf,
  mergeCommands,
  NO_COMMANDS,
  type OriginCommands,
} from '../protocol/commands.ts'
import type { Plan } from '../protocol/plan.ts'

/** Sessions that were ended by an answer in this isolate. The plan has those of all isolates. */
const MOST_OWN = 2048

/** The commands of one origin in this isolate: the sessions that it has ended, and what is not yet reported. */
export class CommandBox {
  #unsent = NO_COMMANDS
  #planned: Plan['revoked']
  /** By mark: until when the cookie would be valid. */
  readonly #own = new TwoGenerationCache<string, number>(MOST_OWN)

  get hasUnsent(): boolean {
    return hasCommands(this.#unsent)
  }

  /** Does this origin end sessions? Then a decision needs a new plan. */
  get isUsed(): boolean {
    return this.#planned !== undefined
  }

  follow({ revoked }: Plan): void {
    this.#planned = revoked
  }

  revoke(id: string, untilMs: number): void {
    const mark = markOf(id)
    this.#own.set(mark, untilMs)
    this.keep({ revoked: { [mark]: untilMs } })
  }

  setStock(route: string, left: number, atMs: number): void {
    this.keep({ stock: { [route]: { left, atMs } } })
  }

  isRevoked(id: string): boolean {
    const mark = markOf(id)
    if (this.#planned !== undefined && Object.hasOwn(this.#planned, mark)) return true
    return this.#own.get(mark) !== undefined
  }

  drain(): OriginCommands {
    const unsent = this.#unsent
    this.#unsent = NO_COMMANDS
    return unsent
  }

  /** Also for commands of a report that failed. */
  keep(commands: OriginCommands): void {
    this.#unsent = mergeCommands(this.#unsent, commands)
  }
}
