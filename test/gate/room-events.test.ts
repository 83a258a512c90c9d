import { describe, it } from 'vitest'
import type { QueueEvent } from '../../src/config/config.ts'
import { decided, gateOf } from '../support/gates.ts'
import { planOf, viewOf } from '../support/requests.ts'

const HOUR_MS = 3_600_000

const eventOf = (given: Partial<QueueEvent> & { name: string }): QueueEvent => ({
  ...{ preQueueMs: 900_000, opensMs: null, closesMs: null, reopensMs: null },
  ...given,
})

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

  it('replace the configured event of the same name', async ({ expect }) => {
    const { follow, ask, runtime } = await gate()
    follow(eventOf({ name: 'sale', opensMs: runtime.now() + 60_000 }))
    expect(ask().verdict).toEqual({ kind: 'queue', reason: 'event' })
    await runtime.advance(60_000)
    expect(ask().verdict.kind).toBe('admit')
  })
})
