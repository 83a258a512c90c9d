import { describe, it } from 'vitest'
import { MatchRules, type RequestView } from '../../src/request/match-rules.ts'
import { splitUrl } from '../../src/request/url.ts'

/** A request that writes down what is read of it. */
function watchedSubject(path: string, headers: Readonly<Record<string, string>>) {
  const read: string[] = []
  const get = (name: string): string | null => {
    read.push(name)
    return headers[name] ?? null
  }
  const url = `https://shop.example.com${path}`
  const request = { url, method: 'GET', headers: { get } } as unknown as Request
  const subject = {
    request,
    headers: request.headers,
    url: splitUrl(url),
    ip: null,
    cookies: null,
  } satisfies RequestView
  return { read, subject }
}

const PLANS = Array.from({ length: 100 }, (_, i) => ({ header: { 'X-Plan': [`plan-${i}`] } }))

describe('what rules read', () => {
  it('is each header once, by whatever many rules it is asked for', ({ expect }) => {
    const { read, subject } = watchedSubject('/', { 'X-Plan': 'plan-99' })
    expect(new MatchRules(PLANS).first(subject)).toBe(99)
    expect(read).toEqual(['X-Plan'])
  })

  it('is not the Cookie header, which the gate has read already', ({ expect }) => {
    const { read, subject } = watchedSubject('/', {})
    const rules = new MatchRules([{ cookie: { a: ['*'] } }, { cookie: { b: ['*'] } }])
    expect(rules.first(subject)).toBe(-1)
    expect(rules.first({ ...subject, cookies: 'b=1' })).toBe(1)
    expect(read).toEqual([])
  })

  it('is nothing that only rules for other paths ask for', ({ expect }) => {
    const { read, subject } = watchedSubject('/news', { 'X-Plan': 'gold' })
    const rules = new MatchRules([{ path: ['/shop/*'], header: { 'X-Plan': ['gold'] } }, {}])
    expect(rules.first(subject)).toBe(1)
    expect(read).toEqual([])
  })

  it('is read anew for the next request', ({ expect }) => {
    const rules = new MatchRules(PLANS)
    expect(rules.first(watchedSubject('/', { 'X-Plan': 'plan-1' }).subject)).toBe(1)
    expect(rules.first(watchedSubject('/', { 'X-Plan': 'plan-2' }).subject)).toBe(2)
    expect(rules.first(watchedSubject('/', {}).subject)).toBe(-1)
  })
})
