import { describe, it } from 'vitest'
import {
  NOTHING_WATCHED,
  type WatchedTick,
  watchAfter,
} from '../../../src/coordinator/operator/watch.ts'

const CALM: WatchedTick = {
  ...{ atMs: 0, setupId: 'first', down: [], isOvercommitted: false, isCapacityNew: false },
  ...{ limit: 50, routes: [] },
}
const SERVER = 'https://a.example.com'

/** The events of these ticks, one after the other, after a calm one. */
function eventsOf(...ticks: readonly Partial<WatchedTick>[]): readonly (readonly string[])[] {
  let { state } = watchAfter(NOTHING_WATCHED, CALM)
  return ticks.map((tick, i) => {
    const after = watchAfter(state, { ...CALM, atMs: 1000 * (i + 1), ...tick })
    state = after.state
    return after.events.map(({ kind, text }) => `${kind}: ${text}`)
  })
}

describe('the line of events', () => {
  it('says when a server goes down and when it is back, once each', ({ expect }) => {
    expect(eventsOf({ down: [SERVER] }, { down: [SERVER] }, {}, {})).toEqual([
      [`server-down: The server ${SERVER} does not answer.`],
      [],
      [`server-up: The server ${SERVER} answers again.`],
      [],
    ])
  })

  it('says that the capacity has changed, with the limit before and after', ({ expect }) => {
    const changed = { isCapacityNew: true, limit: 25 }
    expect(eventsOf({}, changed, changed, { limit: 25 })).toEqual([
      [],
      [
        'capacity-changed: The capacity of the origin has changed: the limit goes from 50 to 25 per second.',
      ],
      [],
      [],
    ])
  })

  it('says that guarantees use up the limit, and that a configuration is new', ({ expect }) => {
    expect(eventsOf({ isOvercommitted: true }, { setupId: 'second' })).toEqual([
      ['overcommitted: The guarantees use up the whole limit: no other request is admitted.'],
      ['configuration: A new configuration is in force.'],
    ])
  })

  it('says nothing while nothing changes, and nothing at the first tick', ({ expect }) => {
    expect(watchAfter(NOTHING_WATCHED, CALM).events).toEqual([])
    expect(eventsOf({}, {}, {})).toEqual([[], [], []])
  })
})
