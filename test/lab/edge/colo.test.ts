import { describe, it } from 'vitest'
import { Colo, type ColoOptions, Slot } from '../../../lab/edge/colo.ts'
import type { Isolate } from '../../../lab/edge/isolate.ts'
import { streams } from '../../../lab/engine/random.ts'

/** A colo whose isolates are only counted. */
function countedColo(options: ColoOptions) {
  const random = streams(1)('colo')
  const slots: Slot[] = []
  const colo = new Colo(options, () => {
    const slot = new Slot(options, random, () => ({}) as Isolate)
    slots.push(slot)
    return slot
  })
  return {
    request(nowMs: number) {
      colo.arrives(nowMs)
      const slot = colo.slotFor(random.next(), nowMs)
      return { slot, isolate: slot.at(nowMs) }
    },
    get births() {
      return slots.reduce((sum, { births }) => sum + births, 0)
    },
  }
}

const at = (perSecond: number, fromS: number, toS: number): readonly number[] =>
  Array.from({ length: (toS - fromS) * perSecond }, (_, i) => 1000 * (fromS + i / perSecond))

describe('the isolates of a colo', () => {
  it('are born with the traffic, one for each so many requests per second', ({ expect }) => {
    const colo = countedColo({ isolates: 100, requestsPerIsolate: 10 })
    for (const ms of at(20, 0, 20)) colo.request(ms)
    expect(colo.births).toBeGreaterThanOrEqual(2)
    expect(colo.births).toBeLessThanOrEqual(3)
    for (const ms of at(400, 20, 30)) colo.request(ms)
    expect(colo.births).toBeGreaterThanOrEqual(38)
    expect(colo.births).toBeLessThanOrEqual(42)
  })

  it('are never more than the most', ({ expect }) => {
    const colo = countedColo({ isolates: 5, requestsPerIsolate: 1 })
    for (const ms of at(200, 0, 5)) colo.request(ms)
    expect(colo.births).toBe(5)
  })

  it('die when idle: who comes later meets a new one', ({ expect }) => {
    const colo = countedColo({ isolates: 1, idleMs: 5000 })
    const first = colo.request(0).isolate
    expect(colo.request(4999).isolate).toBe(first)
    expect(colo.request(9999).isolate).not.toBe(first)
  })

  it('are not idle while a request is under way', ({ expect }) => {
    const colo = countedColo({ isolates: 1, idleMs: 5000 })
    const { slot, isolate } = colo.request(0)
    slot.opened()
    expect(colo.request(60_000).isolate).toBe(isolate)
    slot.settled(isolate, 61_000)
    expect(colo.request(65_999).isolate).toBe(isolate)
    expect(colo.request(71_000).isolate).not.toBe(isolate)
  })

  it('die in the lull after a surge and are born again in the next', ({ expect }) => {
    const colo = countedColo({ isolates: 50, requestsPerIsolate: 10, idleMs: 5000 })
    for (const ms of at(400, 0, 10)) colo.request(ms)
    const before = colo.births
    for (const ms of at(5, 10, 30)) colo.request(ms)
    expect(colo.births).toBeLessThan(before + 10)
    for (const ms of at(400, 30, 40)) colo.request(ms)
    expect(colo.births).toBeGreaterThan(1.8 * before)
  })

  it('may be so many by the clock', ({ expect }) => {
    const colo = countedColo({ isolates: (nowMs) => (nowMs < 1000 ? 1 : 20) })
    for (const ms of at(500, 0, 1)) colo.request(ms)
    expect(colo.births).toBe(1)
    for (const ms of at(500, 1, 2)) colo.request(ms)
    expect(colo.births).toBe(20)
  })
})
