import fc from 'fast-check'
import { describe, it } from 'vitest'
import { type Completion, Station } from '../../../tools/origin/station.ts'
import { coinsOf, exponential } from '../../../tools/random.ts'

/** Poisson arrivals and exponential service: the completions of an M/M/c queue. */
function mmc(servers: number, perSecond: number, meanMs: number, jobs: number, seed: number) {
  const station = new Station<number>({ servers })
  const arrivals = coinsOf(seed, 'arrivals')
  const demands = coinsOf(seed, 'demands')
  const ended: Completion<number>[] = []
  let nowMs = 0
  for (let job = 0; job < jobs; job++) {
    nowMs += exponential(1000 / perSecond, arrivals)
    ended.push(...station.advance(nowMs))
    station.arrive(job, exponential(meanMs, demands), nowMs)
  }
  return [...ended, ...station.advance(Number.MAX_VALUE)]
}

describe('a station, first come, first served', () => {
  it('matches M/M/4 at 80 % load: Erlang C gives a wait of 29.8 ms at 40 ms service', ({
    expect,
  }) => {
    // a = 3.2, ρ = 0.8: C(4, 3.2) = 0.5964; the mean wait is C / (cμ − λ) = 0.5964 / (100 − 80) s.
    const waits = [1, 2, 3, 4, 5, 6, 7, 8].map((seed) => {
      const ended = mmc(4, 80, 40, 50_000, seed).slice(5000)
      return ended.reduce((sum, { queueMs }) => sum + queueMs, 0) / ended.length
    })
    const mean = waits.reduce((sum, wait) => sum + wait) / waits.length
    // Over these seeds the standard error of the mean is about 0.5 ms: 2 ms are four of them.
    expect(Math.abs(mean - 29.82)).toBeLessThan(2)
  })

  it('serves in the order of arrival, one job per server, and loses none', ({ expect }) => {
    const jobs = fc.array(
      fc.tuple(fc.integer({ min: 0, max: 50 }), fc.integer({ min: 1, max: 99 })),
    )
    fc.assert(
      fc.property(jobs, fc.integer({ min: 1, max: 4 }), (given, servers) => {
        const station = new Station<number>({ servers })
        const ended: Completion<number>[] = []
        let nowMs = 0
        for (const [index, [gapMs, demandMs]] of given.entries()) {
          nowMs += gapMs
          ended.push(...station.advance(nowMs))
          station.arrive(index, demandMs, nowMs)
          expect(station.inFlight).toBeLessThanOrEqual(servers)
        }
        ended.push(...station.advance(Number.MAX_VALUE))
        const starts = ended
          .toSorted((a, b) => a.tag - b.tag)
          .map(({ endedMs, serviceMs }) => endedMs - serviceMs)
        expect(starts).toHaveLength(given.length)
        expect(starts).toEqual(starts.toSorted((a, b) => a - b))
      }),
    )
  })

  it('keeps its capacity when it is advanced late: ten jobs of 10 ms end at 10, 20, … 100 ms', ({
    expect,
  }) => {
    const station = new Station<number>({ servers: 1 })
    for (let job = 0; job < 10; job++) station.arrive(job, 10, 0)
    expect(station.advance(57).map(({ endedMs }) => endedMs)).toEqual([10, 20, 30, 40, 50])
    expect(station.advance(500).map(({ endedMs }) => endedMs)).toEqual([60, 70, 80, 90, 100])
  })

  it('slows down with its queue, to twice the time at most', ({ expect }) => {
    const serviceBehind = (waiting: number) => {
      const station = new Station<string>({
        servers: 1,
        thrashing: { above: 1, double: 400, most: 2 },
      })
      station.arrive('first', 40, 0)
      for (let i = 0; i <= waiting; i++) station.arrive('next', 40, 0)
      return station.advance(120)[1]!.serviceMs
    }
    expect(serviceBehind(0)).toBe(40)
    expect(serviceBehind(100)).toBe(40 * 1.25)
    expect(serviceBehind(400)).toBe(80)
    expect(serviceBehind(4000)).toBe(80)
  })

  it('returns all tags when it is cleared, and then is idle', ({ expect }) => {
    const station = new Station<string>({ servers: 1 })
    for (const tag of ['a', 'b', 'c']) station.arrive(tag, 10, 0)
    expect(station.clear()).toEqual(['a', 'b', 'c'])
    expect([station.waiting, station.inFlight, station.nextEndMs]).toEqual([0, 0, null])
  })

  it('turns jobs away that find too much inside: M/M/2/2 loses Erlang B, a fifth at 2 × 0.5', ({
    expect,
  }) => {
    // B(2, 1) = (1/2) / (1 + 1 + 1/2) = 0.2.
    const station = new Station<number>({ servers: 2, room: 2 })
    const [arrivals, demands] = [coinsOf(1, 'arrivals'), coinsOf(1, 'demands')]
    let [nowMs, lost] = [0, 0]
    for (let job = 0; job < 50_000; job++) {
      nowMs += exponential(10, arrivals)
      if (!station.arrive(job, exponential(10, demands), nowMs)) lost++
    }
    expect(Math.abs(lost / 50_000 - 0.2)).toBeLessThan(0.01)
  })

  it('loses servers when they have finished their jobs, and starts the queue on new ones', ({
    expect,
  }) => {
    const station = new Station<string>({ servers: 2 })
    for (const tag of ['a', 'b', 'c', 'd']) station.arrive(tag, 10, 0)
    station.change({ servers: 1 }, 5)
    expect(station.inFlight).toBe(2)
    const ends = (nowMs: number) => station.advance(nowMs).map(({ tag, endedMs }) => [tag, endedMs])
    expect(ends(15)).toEqual([
      ['a', 10],
      ['b', 10],
    ])
    expect(station.inFlight).toBe(1)
    station.change({ servers: 2 }, 15)
    expect(ends(100)).toEqual([
      ['c', 20],
      ['d', 25],
    ])
  })

  it('stands still in a pause, and is slower at half the speed', ({ expect }) => {
    const station = new Station<string>({ servers: 1 })
    for (const tag of ['a', 'b']) station.arrive(tag, 10, 0)
    station.change({ speed: 0 }, 4)
    expect([station.advance(50), station.nextEndMs]).toEqual([[], null])
    station.change({ speed: 0.5 }, 100)
    expect(station.nextEndMs).toBe(112)
    expect(station.advance(500).map(({ endedMs }) => endedMs)).toEqual([112, 132])
  })

  it('returns what ended before an arrival or a change with the next advance', ({ expect }) => {
    const station = new Station<string>({ servers: 1 })
    station.arrive('a', 10, 0)
    station.arrive('b', 10, 15)
    expect(station.nextEndMs).toBe(10)
    expect(station.advance(40).map(({ endedMs }) => endedMs)).toEqual([10, 25])
  })
})
