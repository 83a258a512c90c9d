import type { Random } from '../engine/random.ts'

/** One page of a session: the tier that answers it, and the probabilities of the next pages. */
interface Page {
  /** Tier of the origin that answers it; −1: a cache answers it before the origin. */
  readonly tier: number
  /** The remaining probability ends the session. */
  readonly next: Readonly<Record<string, number>>
}

/** A walk from page to page that starts at the first page. */
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
      throw new RangeError('a page leads to one that does not exist')
  }

  tierOf(phase: number): number {
    return this.#tiers[phase]!
  }

  /** The phase after this one; −1: the session ends. */
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

/** The origin's numbers for the three tiers of Bartolini et al. 2009, §7. */
interface ShopTiers {
  readonly http: number
  readonly servlet: number
  readonly database: number
}

/**
 * The shop session of SPECweb2005 (E-commerce workload), which Bartolini et al. 2009, §7, use.
 * Its transition probabilities give 13.67 pages per session. The paper maps the phases to three
 * tiers and does not say how. Here pages that are the same for all visitors are plain HTTP, forms
 * are servlets, and all others use the database. That gives 9.74 database requests per session.
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
