import type { Coin } from '../random.ts'
import { PAGE_KINDS, type PageKind } from './pages.ts'

/**
 * A visitor's way through the shop: a Markov chain that starts at home and ends when the visitor
 * leaves.
 */

type Steps = readonly (readonly [PageKind, number])[]

/** Probabilities of the next page. The remaining probability is that of leaving. */
export const NEXT: Readonly<Record<PageKind, Steps>> = {
  home: [
    ['product', 0.6],
    ['search', 0.35],
  ],
  search: [
    ['product', 0.65],
    ['search', 0.2],
  ],
  product: [
    ['product', 0.48],
    ['search', 0.2],
    ['cart', 0.2],
  ],
  cart: [
    ['checkout', 0.6],
    ['product', 0.25],
  ],
  checkout: [],
}

/** Maximum length of a walk: about one in three and a half million is cut off here. */
export const LONGEST_WALK = 60

export function drawWalk(coin: Coin): PageKind[] {
  const walk: PageKind[] = ['home']
  while (walk.length < LONGEST_WALK) {
    const next = stepFrom(walk[walk.length - 1]!, coin())
    if (next === null) break
    walk.push(next)
  }
  return walk
}

function stepFrom(page: PageKind, coin: number): PageKind | null {
  let below = 0
  for (const [next, probability] of NEXT[page]) {
    below += probability
    if (coin < below) return next
  }
  return null
}

/** Mean visits to each page per walk: the sum over k of P(the k-th page is this one). */
export function expectedVisits(): Readonly<Record<PageKind, number>> {
  const visits = { home: 0, search: 0, product: 0, cart: 0, checkout: 0 }
  let here: Record<PageKind, number> = { ...visits, home: 1 }
  for (let step = 0; step < LONGEST_WALK; step++) {
    const there = { home: 0, search: 0, product: 0, cart: 0, checkout: 0 }
    for (const page of PAGE_KINDS) {
      visits[page] += here[page]
      for (const [next, probability] of NEXT[page]) there[next] += here[page] * probability
    }
    here = there
  }
  return visits
}

/** M: mean pages per walk, about six. */
export const PAGES_PER_WALK = sum(expectedVisits())

function sum(visits: Readonly<Record<PageKind, number>>): number {
  return PAGE_KINDS.reduce((total, kind) => total + visits[kind], 0)
}
