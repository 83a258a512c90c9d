/** The visitor's cart: product identifiers in a cookie. The server stores nothing. */

const COOKIE = 'cart'
const MOST_ITEMS = 20

export function readCart(cookieHeader: string | undefined): readonly number[] {
  const match = /(?:^|;\s*)cart=([\d.]{1,80})(?:;|$)/.exec(cookieHeader ?? '')
  return match === null ? [] : match[1]!.split('.').filter(Boolean).map(Number)
}

export function addToCart(cart: readonly number[], id: string | null): readonly number[] {
  if (id === null || !/^\d{1,3}$/.test(id) || cart.length >= MOST_ITEMS) return cart
  return [...cart, Number(id)]
}

export function cartCookie(cart: readonly number[]): string {
  return `${COOKIE}=${cart.join('.')}; Path=/; SameSite=Lax`
}
