import fc from 'fast-check'
import { describe, it } from 'vitest'
import {
  ALL_SERVERS_UP,
  downOf,
  healthAfter,
  type PoolHealth,
} from '../../src/coordinator/pool-health.ts'
import type { CapacityEvent } from '../../src/learners/learner-interface.ts'
import type { PoolServer } from '../../src/protocol/feedback.ts'
import type { ServersFeedback } from '../../src/protocol/merge-reports.ts'
import { anyServers } from '../support/feedback.ts'

const [A, B, C] = ['http://a', 'http://b', 'http://c'] as const

const poolOf = (...weights: readonly number[]): readonly PoolServer[] =>
  weights.map((weight, i) => ({ url: [A, B, C][i]!, weight }))

const failed = (failures: number) => ({ tries: failures, failures })
const answered = (tries: number) => ({ tries, failures: 0 })

/** The health after these ticks, and what the learner was told in them. */
function after(
  pool: readonly PoolServer[],
  ticks: readonly ServersFeedback[],
  from: PoolHealth = ALL_SERVERS_UP,
) {
  const events: (CapacityEvent | null)[] = []
  let health = from
  for (const seen of ticks) {
    const tick = healthAfter(health, pool, seen, 0)
    health = tick.health
    events.push(tick.event)
  }
  return { health, events, down: downOf(health, pool) }
}

describe('a server', () => {
  const pool = poolOf(1, 1)

  it('is down with the fifth failure in a row, over any number of ticks', ({ expect }) => {
    expect(after(pool, [{ [A]: failed(4) }]).down).toEqual([])
    expect(after(pool, [{ [A]: failed(5) }]).down).toEqual([A])
    expect(after(pool, [{ [A]: failed(3) }, {}, { [A]: failed(2) }]).down).toEqual([A])
  })

  it('is not down if it answered in between', ({ expect }) => {
    const ticks = [{ [A]: failed(4) }, { [A]: { tries: 4, failures: 3 } }, { [A]: failed(4) }]
    expect(after(pool, ticks).down).toEqual([])
    expect(after(pool, [{ [A]: { tries: 1000, failures: 999 } }]).down).toEqual([])
  })

  it('is up again with the first answer, and stays down while no request goes to it', ({
    expect,
  }) => {
    const ticks = [{ [A]: failed(5) }, {}, { [B]: answered(9) }, { [A]: failed(100) }]
    expect(after(pool, ticks).down).toEqual([A])
    expect(after(pool, [...ticks, { [A]: answered(1) }]).down).toEqual([])
  })

  it('is ignored if it is not in the pool, or no longer', ({ expect }) => {
    const { health, down } = after(pool, [{ [C]: failed(9), [A]: failed(9) }])
    expect(down).toEqual([A])
    expect(health).toEqual({ failures: { [A]: 5 }, removed: [A] })
    const without = healthAfter(health, poolOf(1, 1, 1).slice(1), {}, 0)
    expect(without).toEqual({ health: ALL_SERVERS_UP, event: null })
    expect(healthAfter(health, [], {}, 0)).toEqual({ health: ALL_SERVERS_UP, event: null })
  })
})

describe('the learner', () => {
  it('is told once when weights are lost, and again when they are back', ({ expect }) => {
    const ticks = [{ [C]: failed(5) }, { [C]: failed(1) }, { [C]: answered(1) }, {}]
    expect(after(poolOf(1, 2, 3), ticks).events).toEqual([
      { before: 6, after: 3 },
      null,
      { before: 3, after: 6 },
      null,
    ])
  })

  it('is told once of two servers that are lost in the same tick', ({ expect }) => {
    const { events } = after(poolOf(1, 1, 2), [{ [A]: failed(5), [B]: failed(5) }])
    expect(events).toEqual([{ before: 4, after: 2 }])
  })

  it('is told nothing if all servers are down, and none is left out', ({ expect }) => {
    const pool = poolOf(1, 3)
    const all = after(pool, [{ [A]: failed(5), [B]: failed(5) }])
    expect(all).toMatchObject({ down: [], events: [null] })
    // One after the other: the capacity of the last server stays.
    const last = after(pool, [{ [A]: failed(5) }, { [B]: failed(5) }])
    expect(last).toMatchObject({ down: [], events: [{ before: 4, after: 3 }, null] })
    const swapped = after(pool, [{ [A]: answered(1) }, { [B]: answered(1) }], last.health)
    expect(swapped.events).toEqual([
      { before: 3, after: 1 },
      { before: 1, after: 4 },
    ])
  })

  it('is told nothing if the configuration changes the servers', ({ expect }) => {
    const { health } = after(poolOf(1, 1, 1), [{ [A]: failed(5), [B]: failed(5) }])
    expect(healthAfter(health, poolOf(5, 5, 5), {}, 0).event).toBeNull()
    expect(healthAfter(health, poolOf(1, 1), {}, 0)).toMatchObject({ event: null })
  })
})

describe('for any feedback', () => {
  const anyPool = fc
    .array(fc.integer({ min: 1, max: 1000 }), { minLength: 2, maxLength: 3 })
    .map((weights) => poolOf(...weights))
  const anyTicks = fc.array(anyServers, { maxLength: 30 })

  it('at least one server gets requests, and at least one counts as capacity', ({ expect }) => {
    fc.assert(
      fc.property(anyPool, anyTicks, (pool, ticks) => {
        const { events, down, health } = after(pool, ticks)
        expect(down.length).toBeLessThan(pool.length)
        expect(health.removed.length).toBeLessThan(pool.length)
        for (const event of events) if (event) expect(event.after).toBeGreaterThan(0)
      }),
    )
  })

  it('the events follow one another: each starts where the one before it ended', ({ expect }) => {
    fc.assert(
      fc.property(anyPool, anyTicks, (pool, ticks) => {
        let weight = pool.reduce((sum, server) => sum + server.weight, 0)
        for (const event of after(pool, ticks).events) {
          if (event === null) continue
          expect(event.before).toBe(weight)
          weight = event.after
        }
      }),
    )
  })

  it('one answer of each server resets its health', ({ expect }) => {
    fc.assert(
      fc.property(anyPool, anyTicks, (pool, ticks) => {
        const answers = Object.fromEntries(pool.map(({ url }) => [url, answered(1)]))
        // A server that was down starts slowly.
        const { rising: _, ...health } = after(pool, [...ticks, answers]).health
        expect(health).toEqual(ALL_SERVERS_UP)
      }),
    )
  })

  it('the health survives storage as JSON', ({ expect }) => {
    fc.assert(
      fc.property(anyPool, anyTicks, anyServers, (pool, ticks, seen) => {
        const { health } = after(pool, ticks)
        const stored = JSON.parse(JSON.stringify(health)) as PoolHealth
        expect(healthAfter(stored, pool, seen, 0)).toEqual(healthAfter(health, pool, seen, 0))
      }),
    )
  })
})
