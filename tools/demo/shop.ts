import type { IncomingMessage, ServerResponse } from 'node:http'
import { LiveStation } from '../origin/live-station.ts'
import { PAGE_HEADER } from '../origin/page-header.ts'
import { type Coin, coinsOf, exponential } from '../random.ts'
import { ASSETS, sliceOf } from './assets.ts'
import { addToCart, cartCookie, readCart } from './cart.ts'
import { renderPage } from './html.ts'
import { meanDemandsMs, type PageKind, pageAt } from './pages.ts'
import { sendDownload, sendEvents } from './streams.ts'
import { expectedVisits } from './walk.ts'

export interface ShopOptions {
  readonly servers: number
  readonly meanServiceMs: number
  /**
   * Number of waiting jobs at which service takes twice as long; `Infinity`: it never slows down.
   * Above 0.
   */
  readonly thrash: number
  readonly seed: number
}

export interface DemoStats {
  readonly servers: number
  readonly meanServiceMs: number
  readonly capacityPerSecond: number
  readonly queueLength: number
  readonly inFlight: number
  readonly served: number
  /** Pages served to clients that had already left. */
  readonly wasted: number
}

/**
 * The demo origin's answers. Pages pass through the station; everything else is answered at once.
 */
export class Shop {
  readonly #options: ShopOptions
  readonly #station: LiveStation
  readonly #demandsMs: Readonly<Record<PageKind, number>>
  readonly #coin: Coin
  #wasted = 0

  constructor(options: ShopOptions) {
    this.#options = options
    const { servers, thrash } = options
    // At most twice as long: without new load, the shop recovers from any queue.
    const thrashing = { above: servers, double: thrash, most: 2 }
    this.#station = new LiveStation({ servers, thrashing })
    this.#demandsMs = meanDemandsMs(options.meanServiceMs, expectedVisits())
    this.#coin = coinsOf(options.seed, 'service')
  }

  /** Maximum pages per second for visitors with the usual walk. */
  get capacityPerSecond(): number {
    return (this.#options.servers * 1000) / this.#options.meanServiceMs
  }

  stats(): DemoStats {
    return {
      servers: this.#options.servers,
      meanServiceMs: this.#options.meanServiceMs,
      capacityPerSecond: this.capacityPerSecond,
      queueLength: this.#station.waiting,
      inFlight: this.#station.inFlight,
      served: this.#station.served,
      wasted: this.#wasted,
    }
  }

  /** Drops all jobs, as the restart of a real server does. */
  restart(): number {
    return this.#station.clear()
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    request.resume()
    const url = URL.parse(request.url ?? '/', 'http://shop')
    if (url === null) return sendJson(response, 400, { error: 'This is not a valid address' })
    const { pathname, searchParams } = url
    const kind = pageAt(pathname)
    if (kind !== null) return this.#sendPage(kind, pathname, searchParams, request, response)
    if (pathname in ASSETS) return sendAsset(pathname, request, response)
    if (pathname === '/events') return sendEvents(response, () => this.stats())
    if (pathname === '/download') return sendDownload(response)
    if (pathname === '/health') return sendJson(response, 200, { status: 'ok' })
    if (pathname === '/_demo/stats') return sendJson(response, 200, this.stats())
    if (pathname === '/_demo/restart' && request.method === 'POST')
      return sendJson(response, 200, { dropped: this.restart() })
    sendJson(response, 404, { error: `The demo shop has no page ${pathname}` })
  }

  /**
   * The page is made even if its client has left: most servers notice this only when they write the
   * answer. An overloaded server therefore spends its time on pages that are never seen.
   */
  async #sendPage(
    kind: PageKind,
    path: string,
    query: URLSearchParams,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const served = await this.#station.serve(exponential(this.#demandsMs[kind], this.#coin))
    if (response.destroyed || request.socket.destroyed) {
      if (served !== null) this.#wasted++
      return
    }
    if (served === null) {
      response.destroy()
      return
    }
    const { queueMs, serviceMs } = served
    const held = readCart(request.headers.cookie)
    const paid = kind === 'checkout' && request.method === 'POST'
    const cart = paid ? [] : kind === 'cart' ? addToCart(held, query.get('add')) : held
    const page = Buffer.from(renderPage(kind, { path, query, cart, paid, queueMs, serviceMs }))
    if (cart !== held) response.setHeader('Set-Cookie', cartCookie(cart))
    response.writeHead(200, {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Length': page.length,
      'Cache-Control': 'no-store',
      'Server-Timing': `app;dur=${serviceMs.toFixed(1)}, queue;dur=${queueMs.toFixed(1)}`,
      [PAGE_HEADER]: kind,
    })
    response.end(page)
  }
}

function sendAsset(path: string, request: IncomingMessage, response: ServerResponse): void {
  const { type, body } = ASSETS[path]!
  const slice = sliceOf(request.headers.range, body.length)
  response.setHeader('Accept-Ranges', 'bytes')
  response.setHeader('Cache-Control', 'public, max-age=3600')
  response.setHeader('Content-Type', type)
  if (slice.status === 416) {
    response.writeHead(416, { 'Content-Range': `bytes */${body.length}` }).end()
    return
  }
  const part = slice.status === 206 ? body.subarray(slice.from, slice.to + 1) : body
  if (slice.status === 206)
    response.setHeader('Content-Range', `bytes ${slice.from}-${slice.to}/${body.length}`)
  response.writeHead(slice.status, { 'Content-Length': part.length }).end(part)
}

function sendJson(response: ServerResponse, status: number, value: unknown): void {
  const body = JSON.stringify(value)
  response.writeHead(status, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
  })
  response.end(body)
}
