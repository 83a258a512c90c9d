import type { RouteClass } from '../config/config.ts'
import type { PathTiers } from '../measure/path-tiers.ts'
import { MatchRules } from '../request/match-rules.ts'
import type { Pass } from '../request/pass-token.ts'
import type { RequestView } from '../request/request-view.ts'

/** The classes of a route, by their index: which one a request is in. */
export class RouteClasses {
  readonly #classes: readonly RouteClass[]
  readonly #rules: MatchRules
  readonly #tierOf: PathTiers['tierOf']

  /** `tiers`: null if no class depends on it. */
  constructor(classes: readonly RouteClass[], tiers: PathTiers | null) {
    this.#classes = classes
    this.#tierOf = tiers?.tierOf ?? UNKNOWN_TIER
    this.#rules = new MatchRules(classes.map(({ match }) => match))
  }

  /** A pass may name the class. Where readings of the path lead to different classes, the request gets the least favoured of them. */
  of(view: RequestView, pass: Pass | null): number {
    if (pass !== null && pass.class !== null) return this.named(pass.class)
    const known = { hasPass: pass !== null, tierOf: this.#tierOf }
    let lowest = this.#rules.first(view, view.url.path, known)
    for (const path of view.url.readings.slice(1)) {
      const index = this.#rules.first(view, path, known)
      if (this.isLessFavoured(index, lowest)) lowest = index
    }
    return lowest
  }

  named(className: string): number {
    return this.#classes.findIndex(({ name }) => name === className)
  }

  isLessFavoured(index: number, than: number): boolean {
    const [a, b] = [this.#classes[index]!, this.#classes[than]!]
    return a.guaranteed === b.guaranteed ? a.value < b.value : a.guaranteed < b.guaranteed
  }
}

const UNKNOWN_TIER = (): null => null
