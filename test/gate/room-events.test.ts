import { describe, it } from 'vitest'
import type { QueueEvent } from '../../src/config/config.ts'
import { REFUSAL_TEXTS } from '../../src/protocol/verdict.ts'
import { decided, gateOf } from '../support/gates.ts'
import { planOf, viewOf } from '../support/requests.ts'

const HOUR_MS = 3_600_000

const eventOf = (given: Partial<QueueEvent> & { name: string }): QueueEvent => ({
  ...{ preQueueMs: 900_000, opensMs: null, closesMs: null, reopensMs: null },
  ...given,
})

/** The text of a page, as a visitor reads it. */
const seenIn = (html: string): string =>
  /<body>(.*)<\/body>/s
    .exec(html)![1]!
    .replace(/<[^>]*>/g, '')
    .replace(/\s+/g, ' ')
    .trim()

/** A route whose configuration has the event `sale`, which opens in an hour. */
async function gate() {
  const opens = new Date(Date.now() + 10 * 365 * 24 * HOUR_MS).toISOString().slice(0, 19)
  const waitingRoom = { events: [{ name: 'sale', opens: `${opens}Z` }] }
  const gated = await gateOf({ whenFull: 'queue', waitingRoom }, {}, 1)
  const { route, runtime } = gated
  const follow = (...events: QueueEvent[]) =>
    route.origin.follow(planOf({ events }), { share: 1 }, runtime.now())
  const ask = () => decided(route, viewOf('/'), runtime.now())
  return { ...gated, follow, ask }
}

describe('events that operators made', () => {
  it('hold as soon as the plan has them, and no longer', async ({ expect }) => {
    const { follow, ask, runtime } = await gate()
    expect(ask().verdict.kind).toBe('admit')
    const reopensMs = runtime.now() + HOUR_MS
    follow(eventOf({ name: 'night', closesMs: runtime.now() - 1, reopensMs }))
    const closed = ask()
    expect(closed.verdict).toEqual({ kind: 'refuse', reason: 'event' })
    expect(closed.refusal(runtime.now()).headers.get('Retry-After')).toBe('3600')
    follow(eventOf({ name: 'early', opensMs: runtime.now() + 60_000 }))
    expect(ask().verdict).toEqual({ kind: 'queue', reason: 'event' })
    follow()
    expect(ask().verdict.kind).toBe('admit')
  })

  it('show visitors a page that says that it is closed, and when it opens', async ({ expect }) => {
    const { follow, route, runtime } = await gate()
    const reopensMs = runtime.now() + HOUR_MS
    const pageOf = async () => {
      const view = viewOf('/', { headers: { Accept: 'text/html,*/*;q=0.8' } })
      const response = decided(route, view, runtime.now()).refusal(runtime.now())
      return { response, html: await response.text() }
    }
    follow(eventOf({ name: 'night', closesMs: runtime.now() - 1, reopensMs }))
    const { response, html } = await pageOf()
    expect(response.status).toBe(503)
    expect(response.headers.get('Content-Type')).toBe('text/html; charset=utf-8')
    expect(response.headers.get('Cache-Control')).toBe('no-store')
    const iso = new Date(reopensMs).toISOString()
    expect(seenIn(html)).toBe(
      `Closed ${REFUSAL_TEXTS.event} Opens at ${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`,
    )
    expect(html).toContain(`<time datetime="${iso}">`)
    expect(html).toMatch(/^<!doctype html>\n<html lang="en">/)
    expect(html).toContain('<title>Closed</title>')
    expect(html).toContain('<meta name="robots" content="noindex">')

    follow(eventOf({ name: 'end', closesMs: runtime.now() - 1 }))
    const forGood = await pageOf()
    expect(seenIn(forGood.html)).toBe(`Closed ${REFUSAL_TEXTS.event}`)
    expect(forGood.response.headers.get('Retry-After')).toBe('86400')
  })

  it('replace the configured event of the same name', async ({ expect }) => {
    const { follow, ask, runtime } = await gate()
    follow(eventOf({ name: 'sale', opensMs: runtime.now() + 60_000 }))
    expect(ask().verdict).toEqual({ kind: 'queue', reason: 'event' })
    await runtime.advance(60_000)
    expect(ask().verdict.kind).toBe('admit')
  })
})
