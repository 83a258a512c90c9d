/** The products of the demo shop. */
export interface Product {
  readonly id: number
  readonly name: string
  readonly sign: string
  readonly price: number
  readonly text: string
}

export const PRODUCTS: readonly Product[] = [
  { id: 1, name: 'Tide table', sign: '🌊', price: 9, text: 'High water and low, a year ahead.' },
  { id: 2, name: 'Brass compass', sign: '🧭', price: 48, text: 'Points north, whatever the load.' },
  { id: 3, name: 'Storm lantern', sign: '🏮', price: 36, text: 'Burns on when the lights go out.' },
  { id: 4, name: 'Anchor, small', sign: '⚓', price: 75, text: 'Holds a dinghy in a flash flood.' },
  { id: 5, name: 'Sou’wester', sign: '🧥', price: 59, text: 'Yellow. Keeps the spray off.' },
  { id: 6, name: 'Rope, ten fathoms', sign: '🪢', price: 22, text: 'For queues of any length.' },
  { id: 7, name: 'Message bottle', sign: '🍾', price: 6, text: 'Delivery time: exponential.' },
  { id: 8, name: 'Life ring', sign: '🛟', price: 41, text: 'First come, first served.' },
]

export function findProducts(query: string): readonly Product[] {
  const wanted = query.trim().toLowerCase()
  return PRODUCTS.filter(({ name, text }) => `${name} ${text}`.toLowerCase().includes(wanted))
}

export function productOf(id: number): Product {
  return PRODUCTS[(id - 1 + PRODUCTS.length) % PRODUCTS.length]!
}
