/** The pages of the demo shop that take service time, and how much. */

export const PAGE_KINDS = ['home', 'search', 'product', 'cart', 'checkout'] as const
export type PageKind = (typeof PAGE_KINDS)[number]

export const PAGE_CLASSES = ['browse', 'cart', 'checkout'] as const
export type PageClass = (typeof PAGE_CLASSES)[number]

export const CLASS_OF: Readonly<Record<PageKind, PageClass>> = {
  home: 'browse',
  search: 'browse',
  product: 'browse',
  cart: 'cart',
  checkout: 'checkout',
}

/** Service time of each page relative to the others. */
export const RELATIVE_DEMAND: Readonly<Record<PageKind, number>> = {
  home: 0.7,
  search: 1.3,
  product: 0.9,
  cart: 1,
  checkout: 1.6,
}

export function pageAt(path: string): PageKind | null {
  if (path === '/') return 'home'
  if (path === '/search') return 'search'
  if (path === '/cart') return 'cart'
  if (path === '/checkout') return 'checkout'
  return /^\/product\/\d{1,3}$/.test(path) ? 'product' : null
}

/**
 * Mean service time of each page, such that visitors with these `visits` need `meanServiceMs` per
 * page.
 */
export function meanDemandsMs(
  meanServiceMs: number,
  visits: Readonly<Record<PageKind, number>>,
): Readonly<Record<PageKind, number>> {
  let pages = 0
  let demand = 0
  for (const kind of PAGE_KINDS) {
    pages += visits[kind]
    demand += visits[kind] * RELATIVE_DEMAND[kind]
  }
  const scale = (meanServiceMs * pages) / demand
  return {
    home: RELATIVE_DEMAND.home * scale,
    search: RELATIVE_DEMAND.search * scale,
    product: RELATIVE_DEMAND.product * scale,
    cart: RELATIVE_DEMAND.cart * scale,
    checkout: RELATIVE_DEMAND.checkout * scale,
  }
}
