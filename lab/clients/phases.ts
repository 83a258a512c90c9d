import type { Random } from '../engine/random.ts'

/** One page of a session: who answers it, and what comes next with which probability. */
interface Page {
  /** The tier of the origin that it needs; −1: answered before the origin, by a cache. */
  readonly tier: number
  /** What is left to 1 ends the session. */
  readonly next: Readonly<Record<string, number>>
}

/** A walk from page to page that starts at the first one. */
export class Phases {
  readonly #tiers: readonly number[]
  readonly #next: readonly (readonly number[])[]
  readonly #probabilities: readonly (readonly number[])[]

  constructor(pages: Readonly<Record<string, Page>>) {
    const names = Object.keys(pages)
    const all = Object.values(pages)
    this.#tiers = all.map(({ tier }) => tier)
    this.#next = all.map(({ next }) => Object.keys(next).map((name) => names.indexOf(name)))
    this.#probabilities = all.map(({ next }) => Object.values(next))
    if (this.#next.flat().includes(-1))
      throw new RangeError('a page leads to one that is not there')
  }

  tierOf(phase: number): number {
    return this.#tiers[phase]!
  }

  /** The phase after this one; −1: the session is over. */
  after(phase: number, random: Random): number {
    const probabilities = this.#probabilities[phase]!
    let rest = random.next()
    for (let i = 0; i < probabilities.length; i++) {
      rest -= probabilities[i]!
      if (rest < 0) return this.#next[phase]![i]!
    }
    return -1
  }
}

/** The origin's own numbers for the three tiers of soc.md §7. */
interface ShopTiers {
  readonly http: number
  readonly servlet: number
  readonly database: number
}

/**
 * The shop's session of SPECweb2005 (E-commerce workload), on which soc.md §7 builds: its transition
 * probabilities make 13.67 pages a session. The paper maps the phases onto three tiers without saying how;
 * here pages that are the same for all are plain http, forms are servlets, all else asks the database.
 * That makes 9.74 database requests a session.
 */
export function shopSession({ http, servlet, database }: ShopTiers): Phases {
  return new Phases({
    index: { tier: http, next: { index: 0.2, search: 0.15, browse: 0.6 } },
    search: { tier: database, next: { index: 0.05, search: 0.7, browse: 0.2 } },
    browse: { tier: http, next: { index: 0.1, browse: 0.1, line: 0.75 } },
    line: { tier: database, next: { index: 0.05, browse: 0.1, product: 0.8 } },
    product: { tier: database, next: { index: 0.05, browse: 0.05, line: 0.15, parts: 0.7 } },
    parts: { tier: database, next: { parts: 0.45, warranty: 0.5 } },
    warranty: { tier: database, next: { parts: 0.1, warranty: 0.3, extras: 0.55 } },
    extras: { tier: database, next: { warranty: 0.1, extras: 0.2, cart: 0.65 } },
    cart: { tier: database, next: { cart: 0.25, login: 0.7 } },
    login: { tier: database, next: { login: 0.5, shipping: 0.45 } },
    shipping: { tier: servlet, next: { billing: 0.95 } },
    billing: { tier: servlet, next: { confirm: 0.95 } },
    confirm: { tier: database, next: { confirm: 0.75 } },
  })
}
