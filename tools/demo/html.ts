import { findProducts, PRODUCTS, type Product, productOf } from './catalogue.ts'
import type { PageKind } from './pages.ts'

/** The shop's pages. Input from visitors is escaped. */

interface View {
  readonly path: string
  readonly query: URLSearchParams
  /** Identifiers of the products in the visitor's cart. */
  readonly cart: readonly number[]
  readonly paid: boolean
  readonly queueMs: number
  readonly serviceMs: number
}

export function renderPage(kind: PageKind, view: View): string {
  return layout(TITLES[kind], BODIES[kind](view), view)
}

const TITLES: Readonly<Record<PageKind, string>> = {
  home: 'Everything for high water',
  search: 'Search',
  product: 'Product',
  cart: 'Your cart',
  checkout: 'Checkout',
}

const BODIES: Readonly<Record<PageKind, (view: View) => string>> = {
  home: () => cards(PRODUCTS),
  search: ({ query }) => {
    const wanted = query.get('q') ?? ''
    const found = findProducts(wanted)
    return `<p>${found.length} found for “${escapeHtml(wanted)}”</p>${cards(found)}`
  },
  product: ({ path }) => {
    const { id, name, sign, price, text } = productOf(Number(path.slice('/product/'.length)))
    return `<article class="one"><b>${sign}</b><h2>${name}</h2><p>${text}</p><p>${price} €</p>
<a class="button" href="/cart?add=${id}">Put into the cart</a>
<a href="/product/${id + 1}">next product</a></article>`
  },
  cart: ({ cart }) =>
    cart.length === 0
      ? '<p>Empty so far.</p><p><a href="/">Look around</a></p>'
      : `${lines(cart)}<p><a class="button" href="/checkout">To the checkout</a></p>`,
  checkout: ({ cart, paid }) =>
    paid
      ? '<p>Thank you! Nothing was paid and nothing will be sent: this is a demo.</p>'
      : `${lines(cart)}<form method="post" action="/checkout"><button class="button">Pay</button></form>`,
}

function cards(products: readonly Product[]): string {
  const card = ({ id, name, sign, price }: Product) =>
    `<a href="/product/${id}"><b>${sign}</b>${name}<i>${price} €</i></a>`
  return `<div class="cards">${products.map(card).join('')}</div>`
}

function lines(cart: readonly number[]): string {
  const products = cart.map(productOf)
  const total = products.reduce((sum, { price }) => sum + price, 0)
  const items = products.map(({ sign, name, price }) => `<li>${sign} ${name}, ${price} €</li>`)
  return `<ul>${items.join('')}</ul><p>Total: <strong>${total} €</strong></p>`
}

function layout(title: string, body: string, { query, queueMs, serviceMs }: View): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${title} · Springtide</title>
<link rel="stylesheet" href="/static/shop.css"><link rel="icon" href="/static/wave.svg"></head>
<body><header><a href="/"><img src="/static/wave.svg" alt="" width="32" height="32">Springtide</a>
<form action="/search"><input name="q" aria-label="Search" placeholder="rope, lantern …"
 value="${escapeHtml(query.get('q') ?? '')}"><button>Search</button></form><a href="/cart">Cart</a></header>
<main><h1>${title}</h1>${body}</main>
<footer>This page waited ${queueMs.toFixed(0)} ms and took ${serviceMs.toFixed(0)} ms to make.
<span id="live"></span></footer>
<script>new EventSource('/events').onmessage=function(e){var s=JSON.parse(e.data);document
.getElementById('live').textContent='Now: '+s.queueLength+' waiting, '+s.inFlight+' of '+s.servers+' servers busy.'}
</script></body></html>
`
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
