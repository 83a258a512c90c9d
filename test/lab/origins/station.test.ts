import { describe, it } from 'vitest'
import { leak, pause, pauses } from '../../../lab/origins/changes.ts'
import { station } from '../../../lab/origins/station.ts'
import { type Job, serve } from '../../support/origin-bench.ts'

/** Jobs of a second each that all arrive at once. */
const together = (count: number): Job[] =>
  Array.from({ length: count }, () => ({ atMs: 0, demandMs: 1000 }))

describe('a station', () => {
  it('serves as many at once as it has servers, first come, first served', ({ expect }) => {
    expect(serve(station({ servers: 2 }), together(3))).toEqual([
      'served at 1000',
      'served at 1000',
      'served at 2000',
    ])
  })

  it('serves the lowest class number first if configured, without preemption', ({ expect }) => {
    const jobs = [2, 1, 0].map((klass) => ({ atMs: 0, demandMs: 1000, class: klass }))
    expect(serve(station({ servers: 1, order: 'by-class' }), jobs)).toEqual([
      'served at 1000',
      'served at 3000',
      'served at 2000',
    ])
  })

  it('uses its fastest free server: a server of speed 2 does a second of work in half a second', ({
    expect,
  }) => {
    expect(serve(station({ servers: [1, 2] }), together(3))).toEqual([
      'served at 500',
      'served at 1000',
      'served at 1000',
    ])
  })

  it('rejects requests that find no place', ({ expect }) => {
    expect(serve(station({ servers: 1, room: 1 }), together(3))).toEqual([
      'served at 1000',
      'served at 2000',
      'failed at 0',
    ])
  })

  it('thrashes: the work grows with the number present when it starts', ({ expect }) => {
    const thrashing = station({ servers: 1, slowdown: (present) => 1 + present / 10 })
    // The first starts alone, the second while a third waits, the third alone again.
    expect(serve(thrashing, together(3))).toEqual([
      'served at 1100',
      'served at 2300',
      'served at 3400',
    ])
  })
})

describe('clients that leave a station', () => {
  const jobs = [
    { atMs: 0, demandMs: 1000 },
    { atMs: 0, demandMs: 1000, abandonMs: 500 },
    { atMs: 0, demandMs: 1000 },
  ]

  it('cost nothing if the server notices when their turn comes', ({ expect }) => {
    expect(serve(station({ servers: 1 }), jobs)).toEqual([
      'served at 1000',
      'abandoned at 1000',
      'served at 2000',
    ])
  })

  it('cost all their work if it does not: the others wait longer', ({ expect }) => {
    expect(serve(station({ servers: 1, noticesAbandonment: false }), jobs)).toEqual([
      'served at 1000',
      'served in vain at 2000',
      'served at 3000',
    ])
  })
})

describe('changes of capacity', () => {
  it('let leaving servers finish their requests', ({ expect }) => {
    expect(serve(station({ servers: 2 }), together(4), [{ atMs: 500, servers: 1 }])).toEqual([
      'served at 1000',
      'served at 1000',
      'served at 2000',
      'served at 3000',
    ])
  })

  it('fail the requests in service if the servers leave at once', ({ expect }) => {
    const ends = serve(station({ servers: 2 }), together(3), [
      { atMs: 500, servers: 1, abrupt: true },
    ])
    expect([...ends].sort()).toEqual(['failed at 500', 'served at 1000', 'served at 2000'])
  })

  it('let new servers take waiting requests', ({ expect }) => {
    expect(serve(station({ servers: 1 }), together(3), [{ atMs: 500, servers: 3 }])).toEqual([
      'served at 1000',
      'served at 1500',
      'served at 1500',
    ])
  })

  it('keep servers that were about to leave, and lose no work over many changes', ({ expect }) => {
    const changes = [1, 4, 2, 0, 3].map((servers, i) => ({ atMs: 300 * (i + 1), servers }))
    const ends = serve(station({ servers: 2 }), together(6), changes)
    expect(ends.every((end) => end.startsWith('served'))).toBe(true)
  })

  it('replace servers by faster ones', ({ expect }) => {
    // Both servers of speed 1 finish; the two new ones of speed 2 take the waiting requests.
    expect(serve(station({ servers: 2 }), together(4), [{ atMs: 500, servers: [2, 2] }])).toEqual([
      'served at 1000',
      'served at 1000',
      'served at 1000',
      'served at 1000',
    ])
  })

  it('slow down requests in service: a half-done one at half speed takes as long again', ({
    expect,
  }) => {
    expect(serve(station({ servers: 1 }), together(1), [{ atMs: 500, speed: 0.5 }])).toEqual([
      'served at 1500',
    ])
  })

  it('pause: everything is delayed by the length of the pause', ({ expect }) => {
    expect(serve(station({ servers: 1 }), together(2), pause(500, 2000))).toEqual([
      'served at 3000',
      'served at 4000',
    ])
    const often = pauses({ fromMs: 100, toMs: 1000, everyMs: 300, lengthMs: 100 })
    expect(serve(station({ servers: 1 }), together(1), often)).toEqual(['served at 1300'])
  })

  it('leak: the speed falls in equal steps', ({ expect }) => {
    const changes = leak({ fromMs: 0, toMs: 60_000, left: 0.4, stepMs: 20_000 })
    expect(changes.map(({ atMs }) => atMs)).toEqual([20_000, 40_000, 60_000])
    const speeds = changes.map(({ speed }) => Math.round(speed! * 1000) / 1000)
    expect(speeds).toEqual([0.8, 0.6, 0.4])
  })
})
