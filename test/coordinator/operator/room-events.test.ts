import { describe, it } from 'vitest'
import { CoordinatorCore } from '../../../src/coordinator/coordinator-core.ts'
import { roomEventsOf, setRoomEvent } from '../../../src/coordinator/operator/room-events.ts'
import { setupOf } from '../../support/feedback.ts'

describe('the events that operators make', () => {
  it('are at most 50 for each route', ({ expect }) => {
    const core = new CoordinatorCore()
    const setup = setupOf({ routes: { shop: {}, news: {} } })
    const make = (route: string, name: string) =>
      setRoomEvent(
        core,
        name,
        {
          ...{ route, name, setup, operator: { by: 'Jane', via: 'token' } },
          event: { name, preQueueMs: 0, opensMs: 5000, closesMs: null, reopensMs: null },
        },
        1000,
      )
    for (let i = 1; i <= 50; i++) expect(make('shop', `sale-${i}`)).not.toHaveProperty('status')
    expect(make('shop', 'sale-51')).toEqual({
      status: 409,
      detail: 'There are 50 events already. Delete some first.',
    })
    expect(roomEventsOf(core, 'shop')).toHaveLength(50)
    // One of them may still be changed, and the other route has its own.
    expect(make('shop', 'sale-50')).not.toHaveProperty('status')
    expect(make('news', 'sale-51')).not.toHaveProperty('status')
  })
})
