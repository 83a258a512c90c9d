import { describe, it } from 'vitest'
import { noAnswer } from '../../src/gate/error-response.ts'
import { reasonsPage } from '../../src/gate/reasons-page.ts'
import { RefusalResponses } from '../../src/gate/refusal-response.ts'
import { REFUSAL_TEXTS } from '../../src/protocol/verdict.ts'
import { routeOf } from '../support/requests.ts'

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

const request = (accept?: string, method = 'GET'): Request =>
  new Request('https://shop.example.com/', { method, headers: accept ? { Accept: accept } : {} })

const answer = (keys: object = {}, asked = request(BROWSER), cookie: string | null = null) =>
  new RefusalResponses(routeOf(keys)).answer(asked, 'share', 'buyers', 7, cookie)

describe('a refusal', () => {
  it('is a 503, or a 429 if the route has that status', ({ expect }) => {
    expect(answer().status).toBe(503)
    expect(answer({ refusal: { status: 429 } }).status).toBe(429)
  })

  it('has the retry time, and is never stored', ({ expect }) => {
    const { headers } = answer()
    expect(headers.get('Retry-After')).toBe('7')
    expect(headers.get('Cache-Control')).toBe('no-store')
  })

  it('is a page for browsers', async ({ expect }) => {
    const response = answer()
    expect(response.headers.get('Content-Type')).toBe('text/html; charset=utf-8')
    expect(await response.text()).toMatch(/^<!doctype html>/)
  })

  it('is a problem document for other clients, with the reason (RFC 9457)', async ({ expect }) => {
    for (const accept of [undefined, '*/*', 'application/json', 'image/webp,*/*']) {
      const response = answer({ refusal: { status: 429 } }, request(accept))
      expect(response.headers.get('Content-Type')).toBe('application/problem+json')
      expect(await response.json()).toEqual({
        type: '/_tidegate/reasons#share',
        title: 'Busy',
        status: 429,
        detail: `${REFUSAL_TEXTS.share} Try again in 7 seconds.`,
        reason: 'share',
        route: 'shop',
        class: 'buyers',
        retryAfter: 7,
      })
    }
  })

  it('has no body for HEAD, and the same headers', async ({ expect }) => {
    const response = answer({}, request(BROWSER, 'HEAD'))
    expect(response.status).toBe(503)
    expect(response.headers.get('Content-Type')).toBe('text/html; charset=utf-8')
    expect(response.headers.get('Retry-After')).toBe('7')
    expect(await response.text()).toBe('')
  })

  it('has the retry cookie if there is one', ({ expect }) => {
    expect(answer({}, request(), 'gate-wait=1').headers.get('Set-Cookie')).toBe('gate-wait=1')
    expect(answer().headers.get('Set-Cookie')).toBeNull()
  })

  it('has the verdict header if the route wants it', ({ expect }) => {
    const verdict = (keys: object) => answer(keys).headers.get('Tidegate-Verdict')
    expect(verdict({ verdictHeader: true })).toBe('refuse; reason=share; route=shop; class=buyers')
    expect(verdict({})).toBeNull()
  })
})

describe('the page', () => {
  it('retries by itself, says so, and needs no other file', async ({ expect }) => {
    const page = await answer().text()
    expect(page).toContain('<meta http-equiv="refresh" content="7">')
    expect(page).toContain('<html lang="en">')
    expect(page).toContain('<title>')
    expect(page).not.toContain('{{')
    expect(page).not.toMatch(/(src|href)=/)
    expect(page.length).toBeLessThan(4000)
  })

  it('may be the route’s own, with the seconds in every placeholder', async ({ expect }) => {
    const page = '<p>Wait {{retryAfter}} s. {{retryAfter}}! $& {{other}}</p>'
    expect(await answer({ refusal: { page } }).text()).toBe('<p>Wait 7 s. 7! $& {{other}}</p>')
  })
})

describe('the page for a refused POST', () => {
  it('does not promise to retry by itself, and does not', async ({ expect }) => {
    const response = answer({}, request(BROWSER, 'POST'))
    const page = await response.text()
    expect(page).not.toContain('http-equiv="refresh"')
    expect(page).not.toContain('by itself')
    expect(page).toContain('send it again')
    expect(response.headers.get('Refresh')).toBeNull()
  })
})

describe('the page of reasons', () => {
  it('has an anchor and a text for each reason of a refusal', async ({ expect }) => {
    const page = await reasonsPage().text()
    for (const [reason, text] of Object.entries(REFUSAL_TEXTS)) {
      expect(page).toContain(`id="${reason}"`)
      expect(page).toContain(text)
    }
  })
})

describe('a page of the route’s own', () => {
  const own = (page: string, asked = request(BROWSER)) => answer({ refusal: { page } }, asked)

  it('gets a Refresh header with the seconds of Retry-After', ({ expect }) => {
    const { headers } = own('<h1>Busy</h1>')
    expect(headers.get('Refresh')).toBe('7')
    expect(headers.get('Retry-After')).toBe('7')
    expect(headers.get('Cache-Control')).toBe('no-store')
    expect(headers.get('Content-Type')).toBe('text/html; charset=utf-8')
  })

  it.for([
    '<meta http-equiv="refresh" content="{{retryAfter}}">',
    '<META HTTP-EQUIV="Refresh" content="60">',
    "<meta content=5 http-equiv='refresh'>",
  ])('gets no such header if it retries by itself: %s', (page, { expect }) => {
    expect(own(page).headers.get('Refresh')).toBeNull()
  })

  it('has the header for HEAD too; neither programs nor the built-in page get it', ({ expect }) => {
    expect(own('<h1>Busy</h1>', request(BROWSER, 'HEAD')).headers.get('Refresh')).toBe('7')
    expect(own('<h1>Busy</h1>', request('application/json')).headers.get('Refresh')).toBeNull()
    expect(answer().headers.get('Refresh')).toBeNull()
  })
})

describe('Retry-After', () => {
  it('is spread evenly over the route’s range, ends included: 5 to 15', ({ expect }) => {
    const refusals = new RefusalResponses(routeOf())
    const counts = new Map<number, number>()
    for (let i = 0; i < 1100; i++) {
      const seconds = refusals.retryAfterS(i / 1100)
      counts.set(seconds, (counts.get(seconds) ?? 0) + 1)
    }
    expect([...counts.keys()]).toEqual([5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15])
    expect(new Set(counts.values())).toEqual(new Set([100]))
  })

  it('is always the same if the range has one value', ({ expect }) => {
    const refusals = new RefusalResponses(routeOf({ refusal: { retryMinS: 3, retryMaxS: 3 } }))
    for (const coin of [0, 0.5, 0.999_999, 1]) expect(refusals.retryAfterS(coin)).toBe(3)
  })
})

describe('an answer instead of the origin’s', () => {
  it('is a 502 if the origin cannot be reached, and a 504 if it is too slow', async ({
    expect,
  }) => {
    const unreachable = noAnswer(request(), 'unreachable')
    expect(unreachable.status).toBe(502)
    expect(await unreachable.json()).toMatchObject({ status: 502, title: 'Not reachable' })
    const tooSlow = noAnswer(request(), 'too-slow')
    expect(tooSlow.status).toBe(504)
    expect(await tooSlow.json()).toMatchObject({ status: 504, title: 'No answer in time' })
  })

  it('is never stored, a page for browsers, empty for HEAD', async ({ expect }) => {
    const page = noAnswer(request(BROWSER), 'unreachable')
    expect(page.headers.get('Cache-Control')).toBe('no-store')
    expect(await page.text()).toContain('<h1>Not reachable</h1>')
    expect(await noAnswer(request(BROWSER, 'HEAD'), 'too-slow').text()).toBe('')
  })
})
