import { describe, it } from 'vitest'
import { MatchRules } from '../../src/request/match-rules.ts'
import type { RequestView } from '../../src/request/request-view.ts'
import { splitUrl } from '../../src/request/url.ts'

/** A request that records which headers are read. */
function watchedView(path: string, headers: Readonly<Record<string, string>>) {
  const read: string[] = []
  const get = (name: string): string | null => {
    read.push(name)
    return headers[name] ?? null
  }
  const url = `https://shop.example.com${path}`
  const request = { url, method: 'GET', headers: { get } } as unknown as Request
  const view = {
    request,
    headers: request.headers,
    url: splitUrl(url),
    ip: null,
    cookies: null,
  } satisfies RequestView
  return { read, view }
}

const PLANS = Array.from({ length: 100 }, (_, i) => ({ header: { 'X-Plan': [`plan-${i}`] } }))

describe('what rules read', () => {
  it('is each header once, however many rules need it', ({ expect }) => {
    const { read, view } = watchedView('/', { 'X-Plan': 'plan-99' })
    expect(new MatchRules(PLANS).first(view)).toBe(99)
    expect(read).toEqual(['X-Plan'])
  })

  it('is not the Cookie header, because the gate has read it already', ({ expect }) => {
    const { read, view } = watchedView('/', {})
    const rules = new MatchRules([{ cookie: { a: ['*'] } }, { cookie: { b: ['*'] } }])
    expect(rules.first(view)).toBe(-1)
    expect(rules.first({ ...view, cookies: 'b=1' })).toBe(1)
    expect(read).toEqual([])
  })

  it('is nothing that only rules for other paths need', ({ expect }) => {
    const { read, view } = watchedView('/news', { 'X-Plan': 'gold' })
    const rules = new MatchRules([{ path: ['/shop/*'], header: { 'X-Plan': ['gold'] } }, {}])
    expect(rules.first(view)).toBe(1)
    expect(read).toEqual([])
  })

  it('is read again for the next request', ({ expect }) => {
    const rules = new MatchRules(PLANS)
    expect(rules.first(watchedView('/', { 'X-Plan': 'plan-1' }).view)).toBe(1)
    expect(rules.first(watchedView('/', { 'X-Plan': 'plan-2' }).view)).toBe(2)
    expect(rules.first(watchedView('/', {}).view)).toBe(-1)
  })
})
