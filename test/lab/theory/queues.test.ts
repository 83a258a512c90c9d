import { describe, type ExpectStatic, it } from 'vitest'
import { poisson } from '../../../lab/clients/arrivals.ts'
import { constantRate } from '../../../lab/clients/rates.ts'
import { singleRequests } from '../../../lab/clients/single-requests.ts'
import {
  around,
  type Distribution,
  exponential,
  hyperexponential,
} from '../../../lab/engine/distributions.ts'
import { seeds } from '../../../lab/engine/seeds.ts'
import { interval } from '../../../lab/engine/statistics.ts'
import { sharing } from '../../../lab/origins/sharing.ts'
import { station } from '../../../lab/origins/station.ts'
import {
  erlangC,
  meanResponseSharing,
  meanWaitMG1,
  meanWaitMMc,
  meanWaitsByPriority,
  numbersInMMcK,
  waitsLongerMMc,
} from '../../../lab/theory/formulas.ts'
import { type Observed, type OpenQueue, observe } from '../../../lab/theory/open-queue.ts'

const S = exponential({ mean: 1000 })

/** Requests at `rate` per second, a number of them after a warm-up, for each of 20 seeds. */
function observed(queue: OpenQueue, rate: number, requests = 25_000): Observed[] {
  const lengthMs = (1000 * requests) / rate
  return seeds(20).map((seed) => observe(queue, { seed, warmUpMs: lengthMs / 10, lengthMs }))
}

function mgc(rate: number, service: Distribution, servers: number, requests?: number): Observed[] {
  const clients = singleRequests({ arrivals: poisson(constantRate(rate)), demand: service })
  return observed({ origin: station({ servers }), clients }, rate, requests)
}

/**
 * The theoretical value is in the 99 % interval over the seeds, and the interval is at most ±
 * `part` wide.
 */
function meet(expect: ExpectStatic, values: readonly number[], theory: number, part: number): void {
  const { low, high } = interval(values, 0.99)
  expect(low).toBeLessThan(theory)
  expect(high).toBeGreaterThan(theory)
  expect((high - low) / 2 / theory).toBeLessThan(part)
}

describe("the engine meets Erlang's formulas", () => {
  const one = mgc(0.5, S, 1)
  const twenty = mgc(18, S, 20, 60_000)

  it('M/M/1: mean response 1/(μ − λ) = 2000 ms at λ = 0.5/s, μ = 1/s, ± 2 %', ({ expect }) => {
    meet(
      expect,
      one.map((run) => run.meanResponseMs),
      2000,
      0.02,
    )
  })

  it('M/M/1: responses are exponential: e^(−1) of them take longer than the mean, ± 2 %', ({
    expect,
  }) => {
    meet(
      expect,
      one.map((run) => run.slowerThan(2000)),
      Math.exp(-1),
      0.02,
    )
  })

  it('M/M/20 at 90 %: mean response 1000 ms + C/(cμ − λ) = 1275 ms, ± 3 %', ({ expect }) => {
    const theory = 1000 + 1000 * meanWaitMMc(18, 1, 20)
    expect(theory).toBeCloseTo(1275.4, 0)
    meet(
      expect,
      twenty.map((run) => run.meanResponseMs),
      theory,
      0.03,
    )
  })

  it('M/M/20: C e^(−(cμ − λ) t) wait longer than t = 0, 250 and 500 ms, ± 10 %', ({ expect }) => {
    expect(erlangC(20, 18)).toBeCloseTo(0.5508, 4)
    for (const ms of [0, 250, 500]) {
      // A wait of 0 is a difference of two sums: a nanosecond counts as none.
      const shares = twenty.map((run) => run.waitedLongerThan(ms + 1e-6))
      meet(expect, shares, waitsLongerMMc(18, 1, 20, ms / 1000), 0.1)
    }
  })

  it('M/M/8/13 at 150 %: as many find no place as theory says, ± 2 %', ({ expect }) => {
    const clients = singleRequests({
      arrivals: poisson(constantRate(300)),
      demand: exponential({ mean: 40 }),
    })
    const runs = observed({ origin: station({ servers: 8, room: 5 }), clients }, 300)
    meet(
      expect,
      runs.map((run) => run.failed / run.arrived),
      numbersInMMcK(300, 25, 8, 13)[13]!,
      0.02,
    )
  })

  it("Little's law, L = λW, all three measured: exact except for requests inside at the ends (1 %)", ({
    expect,
  }) => {
    for (const [runs, seconds] of [
      [one, 25_000 / 0.5],
      [twenty, 60_000 / 18],
    ] as const) {
      for (const run of runs) {
        const lambda = run.completed / (1000 * seconds)
        expect(Math.abs(run.meanNumber / (lambda * run.meanResponseMs) - 1)).toBeLessThan(0.01)
      }
    }
  })
})

describe('the engine meets Pollaczek and Khinchine', () => {
  for (const [name, service] of [
    ['nearly constant', around({ mean: 1000, spread: 0.1 })],
    ['exponential', S],
    ['hyperexponential, cv 2', hyperexponential({ mean: 1000, cv: 2 })],
  ] as const) {
    it(`M/G/1 at 60 %, service ${name}: mean wait λE[S²]/2(1 − ρ)`, ({ expect }) => {
      const theory = meanWaitMG1(0.6 / 1000, service)
      const waits = mgc(0.6, service, 1).map((run) => run.meanResponseMs - 1000)
      meet(expect, waits, theory, 0.09)
    })
  }
})

describe('the engine meets Cobham: priorities without interruption', () => {
  it('M/G/1, three classes: W_k = W_0 / (1 − σ_{k−1})(1 − σ_k)', ({ expect }) => {
    const parts = [0.2, 0.3, 0.5]
    const demand = [exponential({ mean: 500 }), around({ mean: 1000, spread: 0.1 }), S]
    const clients = singleRequests({ arrivals: poisson(constantRate(0.8)), demand, mix: parts })
    const runs = observed({ origin: station({ servers: 1, order: 'by-class' }), clients }, 0.8)
    const theory = meanWaitsByPriority(
      parts.map((part, i) => ({ lambda: (0.8 * part) / 1000, service: demand[i]! })),
    )
    for (const [klass, wait] of theory.entries()) {
      const waits = runs.map((run) => run.meanResponsesMs[klass]! - demand[klass]!.mean)
      meet(expect, waits, wait, 0.06)
    }
    expect(theory[0]).toBeLessThan(theory[2]! / 2)
  })
})

describe('the engine meets processor sharing', () => {
  for (const [name, service] of [
    ['exponential', S],
    ['hyperexponential, cv 2', hyperexponential({ mean: 1000, cv: 2 })],
  ] as const) {
    it(`M/G/1 at 60 %: mean response E[S]/(1 − ρ) = 2500 ms, ${name} as well`, ({ expect }) => {
      const clients = singleRequests({ arrivals: poisson(constantRate(0.6)), demand: service })
      const runs = observed({ origin: sharing({ servers: 1 }), clients }, 0.6)
      const means = runs.map((run) => run.meanResponseMs)
      meet(expect, means, meanResponseSharing(0.6, 1) * 1000, 0.0375)
    })
  }

  it('with 20 processors and exponential service it is M/M/20: 1275 ms at 90 %', ({ expect }) => {
    const clients = singleRequests({ arrivals: poisson(constantRate(18)), demand: S })
    const runs = observed({ origin: sharing({ servers: 20 }), clients }, 18, 60_000)
    const theory = 1000 + 1000 * meanWaitMMc(18, 1, 20)
    const means = runs.map((run) => run.meanResponseMs)
    meet(expect, means, theory, 0.03)
  })
})
