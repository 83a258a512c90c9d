import { RelayNames } from '../src/coordinator/relay-names.ts'
import type { Plan } from '../src/protocol/plan.ts'

/** What is called of a relay. */
export interface PlanTaker extends Rpc.DurableObjectBranded {
  take(plan: Plan): void
}

const KEY = 'relays'
/** Relays report under the name of their object: `origin@data centre`. */
const RELAY_NAME = /@/
/** A relay that could not be told is told once more after this time. */
const AGAIN_MS = 100

/** Gives a plan that must not wait to all relays that report to an object. */
export class PlanPush {
  readonly #kv: DurableObjectStorage['kv']
  readonly #relays: DurableObjectNamespace<PlanTaker>
  /** null: the stored names have not been read. */
  #names: RelayNames | null = null

  constructor(ctx: DurableObjectState, relays: DurableObjectNamespace<PlanTaker>) {
    this.#kv = ctx.storage.kv
    this.#relays = relays
  }

  /** A sender has reported or asked. */
  heard(sender: unknown, nowMs: number): void {
    if (typeof sender !== 'string' || !RELAY_NAME.test(sender)) return
    const unstored = this.#known(nowMs).heard(sender, nowMs)
    if (unstored !== null) this.#kv.put(KEY, unstored)
  }

  /** Does any relay answer by what it was told? */
  hasRelays(nowMs: number): boolean {
    return this.#known(nowMs).current(nowMs).length > 0
  }

  send(plan: Plan, nowMs: number): void {
    for (const name of this.#known(nowMs).current(nowMs)) void this.#tell(name, plan)
  }

  #known(nowMs: number): RelayNames {
    this.#names ??= new RelayNames(this.#kv.get<string[]>(KEY) ?? [], nowMs)
    return this.#names
  }

  /** A relay that cannot be told gets the plan with its next report. */
  async #tell(name: string, plan: Plan): Promise<void> {
    const take = () => this.#relays.getByName(name).take(plan)
    try {
      await take()
    } catch {
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS))
      await take().catch(() => {})
    }
  }
}
