import type { Plan } from '../protocol/plan.ts'

/** What an answer in this isolate said about the stock holds for this long, whatever an older plan says. */
const OWN_HOLDS_MS = 3000

/** The routes of an origin with nothing left. */
export class SoldOutRoutes {
  #names: ReadonlySet<string> = new Set()
  #ownUntilMs = Number.NEGATIVE_INFINITY

  get isAny(): boolean {
    return this.#names.size > 0
  }

  has(route: string): boolean {
    return this.#names.size > 0 && this.#names.has(route)
  }

  /** An answer of the origin says whether anything is left. The plan will say it to the other isolates. */
  set(route: string, isSoldOut: boolean, nowMs: number): void {
    const names = new Set(this.#names)
    if (isSoldOut) names.add(route)
    else names.delete(route)
    this.#names = names
    this.#ownUntilMs = nowMs + OWN_HOLDS_MS
  }

  follow({ routes }: Plan, nowMs: number): void {
    if (nowMs < this.#ownUntilMs) return
    this.#names = new Set(Object.keys(routes).filter((name) => routes[name]!.soldOut))
  }
}
