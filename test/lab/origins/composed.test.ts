import { describe, it } from 'vitest'
import { deterministic, exponential } from '../../../lab/engine/distributions.ts'
import { sharing } from '../../../lab/origins/sharing.ts'
import { station } from '../../../lab/origins/station.ts'
import { tiers } from '../../../lab/origins/tiers.ts'
import { workerPool } from '../../../lab/origins/worker-pool.ts'
import { serve } from '../../support/origin-bench.ts'

const job = (atMs: number, demandMs: number, tier = 0) => ({ atMs, demandMs, tier })

describe('processor sharing', () => {
  it('gives each job an equal share: two jobs of 1000 ms together take 2000 ms', ({ expect }) => {
    expect(serve(sharing({ servers: 1 }), [job(0, 1000), job(0, 1000)])).toEqual([
      'served at 2000',
      'served at 2000',
    ])
  })

  it('lets short jobs overtake long ones: 500 ms from 500 on leave at 1500, the 1000 ms too', ({
    expect,
  }) => {
    // Alone until 500, then half each: both have 500 left and need 1000 for it.
    expect(serve(sharing({ servers: 1 }), [job(0, 1000), job(500, 500)])).toEqual([
      'served at 1500',
      'served at 1500',
    ])
    expect(serve(sharing({ servers: 1 }), [job(0, 1000), job(500, 100)])).toEqual([
      'served at 1100',
      'served at 700',
    ])
  })

  it('never gives a job more than one processor', ({ expect }) => {
    expect(serve(sharing({ servers: 4 }), [job(0, 1000), job(0, 600)])).toEqual([
      'served at 1000',
      'served at 600',
    ])
  })

  it('thrashes: two jobs at an efficiency of one half take twice as long', ({ expect }) => {
    const origin = sharing({ servers: 1, efficiency: (present) => 1 / present })
    expect(serve(origin, [job(0, 1000), job(0, 1000)])).toEqual([
      'served at 4000',
      'served at 4000',
    ])
  })

  it('rejects above its limit, stops in a pause, and slows down with fewer processors', ({
    expect,
  }) => {
    const origin = sharing({ servers: 2, most: 2 })
    const jobs = [job(0, 1000), job(0, 1000), job(0, 1000)]
    const changes = [
      { atMs: 200, speed: 0 },
      { atMs: 700, speed: 1, servers: 1 },
    ]
    // 200 done, 500 of pause, then 800 each at half a processor.
    expect(serve(origin, jobs, changes)).toEqual([
      'served at 2300',
      'served at 2300',
      'failed at 0',
    ])
  })
})

describe('tiers in a row', () => {
  const shop = tiers({
    stations: {
      web: station({ servers: 10 }),
      app: station({ servers: 10 }),
      db: station({ servers: 1 }),
    },
    ways: [
      [{ station: 'web' }],
      [{ station: 'web', demand: deterministic({ value: 1 }) }, { station: 'app' }],
      [
        { station: 'web', demand: deterministic({ value: 1 }) },
        { station: 'app', demand: deterministic({ value: 10 }) },
        { station: 'db', demand: deterministic({ value: 1000 }) },
      ],
    ],
  })

  it('are passed one after another, as far as the type of request needs', ({ expect }) => {
    expect(serve(shop, [job(0, 5, 0), job(0, 50, 1), job(0, 0, 2)])).toEqual([
      'served at 5',
      'served at 51',
      'served at 1011',
    ])
  })

  it('queue at the bottleneck', ({ expect }) => {
    expect(serve(shop, [job(0, 0, 2), job(0, 0, 2), job(0, 5, 0)])).toEqual([
      'served at 1011',
      'served at 2011',
      'served at 5',
    ])
  })

  it('change by name: a second database server', ({ expect }) => {
    const jobs = [job(0, 0, 2), job(0, 0, 2)]
    const ends = serve(shop, jobs, [{ atMs: 100, station: 'db', servers: 2 }])
    expect(ends).toEqual(['served at 1011', 'served at 1100'])
    expect(() => serve(shop, jobs, [{ atMs: 0, station: 'cache', servers: 2 }])).toThrow(/"cache"/)
  })

  it('share a database: requests of one way wait for those of the other', ({ expect }) => {
    const shared = tiers({
      stations: {
        shop: station({ servers: 1 }),
        api: station({ servers: 1 }),
        db: station({ servers: 1 }),
      },
      ways: [
        [{ station: 'shop' }, { station: 'db', demand: deterministic({ value: 100 }) }],
        [{ station: 'api' }, { station: 'db', demand: deterministic({ value: 100 }) }],
      ],
    })
    expect(serve(shared, [job(0, 10, 0), job(0, 20, 1)])).toEqual([
      'served at 110',
      'served at 210',
    ])
  })

  it('draw the same work for the same request, independently of others', ({ expect }) => {
    const origin = tiers({
      stations: { db: station({ servers: 100 }) },
      ways: [[{ station: 'db', demand: exponential({ mean: 1000 }) }]],
    })
    const [first, second] = serve(origin, [job(0, 0), job(0, 0)])
    expect(serve(origin, [job(0, 0)])[0]).toBe(first)
    expect(first).not.toBe(second)
  })

  it('reject a way through an unknown station', ({ expect }) => {
    const origin = tiers({ stations: {}, ways: [[{ station: 'db' }]] })
    expect(() => serve(origin, [])).toThrow('there is no station "db"')
  })
})

describe('a pool of workers', () => {
  it('admits some, lets some wait, and rejects the rest', ({ expect }) => {
    const origin = workerPool({ workers: 1, backlog: 1 }, station({ servers: 5 }))
    expect(serve(origin, [job(0, 1000), job(0, 1000), job(0, 1000)])).toEqual([
      'served at 1000',
      'served at 2000',
      'failed at 0',
    ])
  })

  it('drops requests that were abandoned while they waited for a worker', ({ expect }) => {
    const origin = workerPool({ workers: 1 }, station({ servers: 5 }))
    const jobs = [job(0, 1000), { ...job(0, 1000), abandonMs: 300 }, job(0, 1000)]
    expect(serve(origin, jobs)).toEqual(['served at 1000', 'abandoned at 1000', 'served at 2000'])
  })

  it('holds its worker through all tiers', ({ expect }) => {
    const inner = tiers({
      stations: { app: station({ servers: 5 }), db: station({ servers: 5 }) },
      ways: [[{ station: 'app' }, { station: 'db', demand: deterministic({ value: 500 }) }]],
    })
    expect(serve(workerPool({ workers: 1 }, inner), [job(0, 1000), job(0, 1000)])).toEqual([
      'served at 1500',
      'served at 3000',
    ])
  })
})
