import { describe, it } from 'vitest'
import { streams } from '../../../lab/engine/random.ts'
import { meanResponseSharing } from '../../../lab/theory/formulas.ts'
import { distributionOf, type ServiceLaw } from '../../../tools/origin/service-law.ts'
import { Station, type StationOptions } from '../../../tools/origin/station.ts'
import { coinsOf, exponential } from '../../../tools/random.ts'

const JOBS = 100_000

/** Mean response time under Poisson arrivals. */
function meanResponseMs(options: StationOptions, perSecond: number, law: ServiceLaw): number {
  const station = new Station<number>({ discipline: 'sharing', ...options })
  const service = distributionOf(law)
  const demands = streams(1)('demands')
  const arrivals = coinsOf(1, 'arrivals')
  let [nowMs, sum] = [0, 0]
  const settle = (untilMs: number) => {
    for (const { tag, endedMs } of station.advance(untilMs)) sum += endedMs - tag
  }
  for (let job = 0; job < JOBS; job++) {
    nowMs += exponential(1000 / perSecond, arrivals)
    station.arrive(nowMs, service.draw(demands), nowMs)
    settle(nowMs)
  }
  settle(Number.MAX_VALUE)
  return sum / JOBS
}

const LAWS: readonly ServiceLaw[] = [
  { law: 'constant', meanMs: 10, spread: 0.1 },
  { law: 'exponential', meanMs: 10 },
  { law: 'log-normal', meanMs: 10, cv: 1.5 },
  { law: 'pareto', meanMs: 10, shape: 2.5 },
]

describe('a station with processor sharing', () => {
  it.for(LAWS)(
    'answers in s / (1 − ρ) on average, whatever the service law: $law',
    (law, { expect }) => {
      const expected = 1000 * meanResponseSharing(60, 0.01)
      expect(expected).toBeCloseTo(25)
      expect(Math.abs(meanResponseMs({ servers: 1 }, 60, law) / expected - 1)).toBeLessThan(0.06)
    },
  )

  it('is M/M/4 in its mean: exponential service of 40 ms at 80 % takes 40 + 29.8 ms', ({
    expect,
  }) => {
    const law = { law: 'exponential', meanMs: 40 } as const
    expect(Math.abs(meanResponseMs({ servers: 4 }, 80, law) / 69.8 - 1)).toBeLessThan(0.06)
  })

  it('gives no job more than one server, and otherwise equal shares', ({ expect }) => {
    const station = new Station<string>({ servers: 2, discipline: 'sharing' })
    station.arrive('alone', 10, 0)
    expect(station.advance(100)[0]!.endedMs).toBe(10)
    for (const tag of ['a', 'b', 'c', 'd']) station.arrive(tag, 10, 100)
    expect(station.advance(200).map(({ endedMs }) => endedMs)).toEqual([120, 120, 120, 120])
  })

  it('shares what is left of its servers', ({ expect }) => {
    const station = new Station<string>({ servers: 2, discipline: 'sharing' })
    for (const tag of ['a', 'b']) station.arrive(tag, 10, 0)
    station.change({ servers: 1 }, 5)
    expect(station.advance(100).map(({ endedMs }) => endedMs)).toEqual([15, 15])
  })

  it('thrashes while too much is inside: all of it is slower, up to the largest factor', ({
    expect,
  }) => {
    const endOf = (jobs: number) => {
      const thrashing = { above: 4, double: 4, most: 3 }
      const station = new Station<number>({ servers: 4, discipline: 'sharing', thrashing })
      for (let job = 0; job < jobs; job++) station.arrive(job, 10, 0)
      return station.nextEndMs
    }
    expect(endOf(4)).toBe(10)
    expect(endOf(8)).toBe(10 * 2 * 2)
    expect(endOf(40)).toBe(10 * 10 * 3)
  })
})

describe('a service law', () => {
  it.for(LAWS)('has the mean that it states: $law', (law, { expect }) => {
    const random = streams(1)('means')
    const service = distributionOf(law)
    let sum = 0
    for (let i = 0; i < JOBS; i++) sum += service.draw(random)
    expect(Math.abs(sum / JOBS / 10 - 1)).toBeLessThan(0.02)
  })

  it('varies as it states', ({ expect }) => {
    // Of the mean of 10 ms: ±10 % have 2²/12, a cv of 1.5 has 15², and Pareto's shape a has 10²/(a(a − 2)).
    const expected = [2 ** 2 / 12, 10 ** 2, 15 ** 2, 10 ** 2 / (2.5 * 0.5)]
    for (const [i, law] of LAWS.entries())
      expect(distributionOf(law).variance).toBeCloseTo(expected[i]!, 6)
  })

  it('is nearly constant within its spread', ({ expect }) => {
    const random = streams(1)('spread')
    const service = distributionOf(LAWS[0]!)
    for (let i = 0; i < 1000; i++) expect(Math.abs(service.draw(random) - 10)).toBeLessThan(1.001)
  })
})
