import { describe, it } from 'vitest'
import { WAITING_TEXTS } from '../../src/gate/waiting/texts.ts'
import { decided, gateOf } from '../support/gates.ts'
import { cookieOf, type Planned, planOf, viewOf } from '../support/requests.ts'

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

/** So many places wait in the second after the watermark, which one per second leave. */
const roomOf = (watermark: number, places: number): Planned => ({
  drawLimit: 0,
  classes: {
    default: {
      probability: 0,
      queue: {
        ...{
          watermark,
          isDirect: false,
          limit: null,
          bucketS: 1,
          ahead: [watermark, 0, watermark + 1, places],
        },
        ...{ rate: 1, leaving: 0, low: 0.8, high: 1.2 },
      },
    },
  },
})

async function room(keys: object = {}, watermark = 0, places = 200) {
  const gated = await gateOf({ whenFull: 'queue', ...keys }, roomOf(watermark, places), 1)
  await gated.runtime.advance(1000)
  const { route, runtime } = gated
  const ask = (headers: Record<string, string> = {}, init: { method?: string } = {}) =>
    decided(route, viewOf('/', { headers, ...init }), runtime.now())
  const answer = (headers: Record<string, string> = {}, init: { method?: string } = {}) =>
    ask(headers, init).refusal(runtime.now())
  const call = () =>
    route.origin.follow(planOf(roomOf(runtime.now() / 1000, places)), { share: 1 }, runtime.now())
  return { ...gated, ask, answer, call }
}

describe('a new visitor while others wait', () => {
  it('gets a ticket, in a cookie and in a header, and no place yet', async ({ expect }) => {
    const { answer } = await room()
    const response = answer()
    expect(response.status).toBe(503)
    expect(response.headers.get('Set-Cookie')).toMatch(/^__Host-tidegate-shop-ticket=1\..*HttpOnly/)
    expect(response.headers.get('Cache-Control')).toBe('no-store')
    const problem = (await response.json()) as Record<string, unknown>
    expect(problem).toMatchObject({ title: 'Waiting', reason: 'waiting', position: null })
    expect(problem.ticket).toBe(response.headers.get('Tidegate-Ticket'))
    expect(String(problem.retryAfterS)).toBe(response.headers.get('Retry-After'))
  })

  it('has a place and an estimate after the first refresh', async ({ expect }) => {
    const { answer, runtime } = await room()
    const Cookie = cookieOf(answer().headers.get('Set-Cookie')!)
    await runtime.advance(5000)
    const problem = (await answer({ Cookie }).json()) as {
      position: number
      estimatedWaitS: { from: number; to: number }
    }
    expect(problem.position).toBe(201)
    expect(problem.estimatedWaitS.from).toBeLessThan(203)
    expect(problem.estimatedWaitS.to).toBeGreaterThan(203)
  })

  it('is told the same again before the time of the refresh, and is not counted', async ({
    expect,
  }) => {
    const { ask, answer, runtime, route } = await room()
    const Cookie = cookieOf(answer().headers.get('Set-Cookie')!)
    route.origin.countersOf('shop').drain()
    await runtime.advance(1000)
    expect(ask({ Cookie }).verdict).toEqual({ kind: 'queue', reason: 'early' })
    const { offered, early } = route.origin.countersOf('shop').drain().classes.default!
    expect([offered, early]).toEqual([0, 1])
  })

  it('is offered once: a refresh is no new visitor', async ({ expect }) => {
    const { ask, answer, runtime, route } = await room()
    const Cookie = cookieOf(answer().headers.get('Set-Cookie')!)
    const counted = () => route.origin.countersOf('shop').drain().classes.default!
    expect(counted()).toMatchObject({ offered: 1, tickets: 0 })
    await runtime.advance(5000)
    expect(ask({ Cookie }).verdict).toEqual({ kind: 'queue', reason: 'waiting' })
    expect(counted()).toMatchObject({ offered: 0, tickets: 1 })
  })

  it('enters when the watermark has passed its ticket; the ticket ends, the session begins', async ({
    expect,
  }) => {
    const { ask, answer, call, runtime } = await room()
    const Cookie = cookieOf(answer().headers.get('Set-Cookie')!)
    await runtime.advance(5000)
    call()
    const visit = ask({ Cookie })
    expect(visit.verdict).toEqual({ kind: 'admit', reason: 'ticket' })
    const cookies = visit.withGateHeaders(new Response('in'), runtime.now()).headers.getSetCookie()
    expect(cookies.map((one) => one.split('=')[0])).toEqual([
      '__Host-tidegate-shop',
      '__Host-tidegate-shop-ticket',
    ])
    expect(cookies[1]).toContain('Max-Age=0')
  })

  it('needs no cookies: the ticket travels in a header, and after it the session', async ({
    expect,
  }) => {
    const { ask, answer, call, runtime } = await room()
    const ticket = answer().headers.get('Tidegate-Ticket')!
    await runtime.advance(5000)
    call()
    const visit = ask({ 'Tidegate-Ticket': ticket })
    const { headers } = visit.withGateHeaders(new Response('in'), runtime.now())
    const session = headers.get('Tidegate-Ticket')!
    expect(ask({ 'Tidegate-Ticket': session }).verdict).toEqual({
      kind: 'admit',
      reason: 'session',
    })
  })

  it('keeps the place for `keepPlaceMs` with the page closed, and loses it after', async ({
    expect,
  }) => {
    for (const [awayMs, reason] of [
      [600_000, 'ticket'],
      [606_000, null],
    ] as const) {
      const { ask, answer, call, runtime } = await room()
      const Cookie = cookieOf(answer().headers.get('Set-Cookie')!)
      await runtime.advance(awayMs)
      call()
      expect(ask({ Cookie }).verdict.reason === 'ticket').toBe(reason === 'ticket')
    }
  })

  it('gets a 204 with the session when the page only asks whether it is its turn', async ({
    expect,
  }) => {
    const { ask, answer, call, runtime } = await room()
    const Cookie = cookieOf(answer().headers.get('Set-Cookie')!)
    await runtime.advance(5000)
    expect(ask({ Cookie, 'Tidegate-Poll': '1' }).ownAnswer(runtime.now())!.status).toBe(503)
    call()
    const entered = ask({ Cookie, 'Tidegate-Poll': '1' }).ownAnswer(runtime.now())!
    expect(entered.status).toBe(204)
    expect(entered.headers.getSetCookie()[0]).toMatch(/^__Host-tidegate-shop=/)
  })
})

describe('a visitor who waits while the last one is sold', () => {
  const soldOut = async () => {
    const { ask, answer, route, runtime } = await room({
      refusal: { allowOrigins: ['https://app.example.com'] },
    })
    const Cookie = cookieOf(answer().headers.get('Set-Cookie')!)
    await runtime.advance(5000)
    answer({ Cookie })
    const plan = planOf({ ...roomOf(0, 200), soldOut: true })
    route.origin.follow(plan, { share: 1 }, runtime.now())
    await runtime.advance(5000)
    return (headers: Record<string, string>) =>
      ask({ Cookie, ...headers }).ownAnswer(runtime.now())!
  }

  it('is told so by the next refresh of the page, with and without JavaScript', async ({
    expect,
  }) => {
    const refresh = await soldOut()
    const html = await refresh({ Accept: BROWSER }).text()
    expect(html).toContain('Sold out')
    expect(html).not.toContain('http-equiv="refresh"')
    // The script of the page loads it again if the answer is none of the waiting room.
    const polled = refresh({ Accept: BROWSER, 'Tidegate-Poll': '1' })
    expect(polled.status).toBe(503)
    expect(polled.headers.has('Tidegate-Waiting')).toBe(false)
  })

  it('is told so as a program, also of another site', async ({ expect }) => {
    const refresh = await soldOut()
    const told = refresh({ Accept: 'application/json', Origin: 'https://app.example.com' })
    expect(await told.json()).toMatchObject({ reason: 'sold-out' })
    expect(told.headers.has('Tidegate-Ticket')).toBe(false)
    expect(told.headers.get('Access-Control-Allow-Origin')).toBe('https://app.example.com')
  })
})

describe('places of one address range', () => {
  it('are a quarter of all, and the next ticket of the range gets none', async ({ expect }) => {
    const { route, runtime } = await room()
    const visit = (ip: string, headers: Record<string, string> = {}) =>
      decided(route, viewOf('/', { headers, ip }), runtime.now())
    const ipOf = (i: number): string => (i % 2 === 0 ? `198.51.100.${i}` : `203.0.${i}.7`)
    const visitors = Array.from({ length: 80 }, (_, i) => {
      const ticket = visit(ipOf(i)).refusal(runtime.now()).headers.get('Tidegate-Ticket')!
      return { ip: ipOf(i), ticket }
    })
    await runtime.advance(5000)
    const placed = { one: 0, others: 0 }
    for (const [i, { ip, ticket }] of visitors.entries()) {
      const back = visit(ip, { 'Tidegate-Ticket': ticket })
      const { verdict } = back
      back.refusal(runtime.now())
      if (verdict.kind === 'queue') placed[i % 2 === 0 ? 'one' : 'others']++
      else expect(verdict).toEqual({ kind: 'refuse', reason: 'fairness' })
    }
    expect(placed.others).toBe(40)
    expect(placed.one).toBeGreaterThanOrEqual(5)
    expect(placed.one / (placed.one + placed.others)).toBeLessThanOrEqual(0.26)
  })
})

describe('a ticket', () => {
  it('lets a few sessions in, for reloads, and no more', async ({ expect }) => {
    const { ask, answer, call, runtime } = await room()
    const Cookie = cookieOf(answer().headers.get('Set-Cookie')!)
    await runtime.advance(5000)
    call()
    const reasons = Array.from({ length: 5 }, () => ask({ Cookie }).verdict.reason)
    expect(reasons).toEqual(['ticket', 'ticket', 'ticket', 'waiting', 'waiting'])
  })

  it('of another route or secret is worth nothing', async ({ expect }) => {
    const { answer } = await room({ name: 'other', session: { cookie: 'tidegate-shop' } })
    const { ask, call, runtime } = await room()
    const foreign = cookieOf(answer().headers.get('Set-Cookie')!)
    await runtime.advance(5000)
    call()
    expect(ask({ Cookie: foreign }).verdict).toEqual({ kind: 'queue', reason: 'waiting' })
  })
})

describe('the waiting page', () => {
  const page = async (headers: Record<string, string> = {}, keys: object = {}) => {
    const { answer, runtime } = await room(keys)
    const Cookie = cookieOf(answer().headers.get('Set-Cookie')!)
    await runtime.advance(5000)
    const response = answer({ Accept: BROWSER, Cookie, ...headers })
    return { response, html: await response.text() }
  }

  it('is for browsers, under 15 KB, without external files', async ({ expect }) => {
    for (const language of Object.keys(WAITING_TEXTS)) {
      const { response, html } = await page({ 'Accept-Language': language })
      expect(response.headers.get('Content-Type')).toBe('text/html; charset=utf-8')
      expect(new TextEncoder().encode(html).length).toBeLessThan(15_360)
      expect(html).not.toMatch(/(src|href)=|url\(|\{\{/)
      expect(html).toContain(`<html lang="${language}" dir="${language === 'ar' ? 'rtl' : 'ltr'}">`)
      expect(html).toContain(WAITING_TEXTS[language as 'en'].title)
    }
  })

  it('has the place, the range and a refresh without JavaScript', async ({ expect }) => {
    const { response, html } = await page()
    expect(html).toContain('<dd id="place">201</dd>')
    expect(html).toMatch(/<dd id="wait">\d – \d minutes|<dd id="wait">\d–\d minutes/)
    const told = response.headers.get('Retry-After')
    expect(html).toContain(`<noscript><meta http-equiv="refresh" content="${told}"></noscript>`)
  })

  it.for([
    ['de-AT, en;q=0.5', 'de'],
    ['xx, fr;q=0.3, it;q=0.8', 'it'],
    ['pt-BR', 'pt'],
    ['xx', 'en'],
    ['*', 'en'],
  ] as const)('is for "%s" in %s', async ([accepted, language], { expect }) => {
    const { html } = await page({ 'Accept-Language': accepted })
    expect(html).toContain(`<html lang="${language}"`)
  })

  it.for([
    ['application/json', 'application/problem+json'],
    ['application/json, text/html;q=0.9', 'application/problem+json'],
    ['text/html;q=0.2, application/json;q=0.8', 'application/problem+json'],
    ['*/*', 'application/problem+json'],
    ['text/html, application/json;q=0.9', 'text/html; charset=utf-8'],
    ['text/html;q=0, */*', 'application/problem+json'],
  ] as const)('is not for a client that accepts "%s"', async ([Accept, type], { expect }) => {
    const { response } = await page({ Accept })
    expect(response.headers.get('Content-Type')).toBe(type)
  })

  it('says after a form that it was not processed, and does not refresh', async ({ expect }) => {
    const { answer } = await room()
    const html = await answer({ Accept: BROWSER }, { method: 'POST' }).text()
    expect(html).toContain(WAITING_TEXTS.en.form)
    expect(html).not.toContain('http-equiv="refresh"')
    expect(html).toContain('data-ms=""')
  })

  it('may have own texts, an own template and another status', async ({ expect }) => {
    const own = await page(
      {},
      { waitingRoom: { texts: { en: { title: 'A <b> & c' } }, status: 202 } },
    )
    expect(own.html).toContain('<h1>A &#60;b&#62; &#38; c</h1>')
    expect(own.response.status).toBe(202)
    const template = await page({}, { waitingRoom: { page: '<p>{{place}} of {{wait}}</p>' } })
    expect(template.html).toMatch(/^<p>201 of \d/)
    expect(template.response.headers.get('Refresh')).toMatch(/^\d+$/)
  })
})

describe('scripts of other sites', () => {
  const keys = { refusal: { allowOrigins: ['https://app.example.com'] } }

  it('may read the answer if the route says so', async ({ expect }) => {
    const { answer } = await room(keys)
    const { headers } = answer({ Origin: 'https://app.example.com' })
    expect(headers.get('Access-Control-Allow-Origin')).toBe('https://app.example.com')
    expect(headers.get('Access-Control-Allow-Credentials')).toBe('true')
    expect(headers.get('Access-Control-Expose-Headers')).toContain('Tidegate-Ticket')
    const other = answer({ Origin: 'https://evil.example' })
    expect(other.headers.has('Access-Control-Allow-Origin')).toBe(false)
  })

  it('may send the ticket: its preflight is answered here', async ({ expect }) => {
    const { ask, runtime } = await room(keys)
    const preflight = (Origin: string) =>
      ask(
        {
          Origin,
          'Access-Control-Request-Method': 'PUT',
          'Access-Control-Request-Headers': 'content-type, tidegate-ticket',
        },
        { method: 'OPTIONS' },
      ).ownAnswer(runtime.now())
    expect(preflight('https://app.example.com')!.status).toBe(204)
    expect(preflight('https://evil.example')).toBeNull()
  })
})

describe('the fields of Cloudflare Waiting Room', () => {
  it('are in the problem document if the route says so', async ({ expect }) => {
    const { answer } = await room({ waitingRoom: { cfWaitingRoom: true } })
    const { cfWaitingRoom } = (await answer().json()) as { cfWaitingRoom: object }
    expect(cfWaitingRoom).toMatchObject({ inWaitingRoom: true, isFIFOQueue: true })
  })

  it.for([
    ['fifo', true, false],
    ['random', false, true],
  ] as const)(
    'say the order of the route: %s',
    async ([order, isFIFOQueue, isRandomQueue], { expect }) => {
      const { answer } = await room({ waitingRoom: { cfWaitingRoom: true, order } })
      const { cfWaitingRoom } = (await answer().json()) as { cfWaitingRoom: object }
      expect(cfWaitingRoom).toMatchObject({ queueingMethod: order, isFIFOQueue, isRandomQueue })
    },
  )
})
