import { describe, it } from 'vitest'
import { exponential } from '../../lab/engine/distributions.ts'
import { type Random, streams } from '../../lab/engine/random.ts'
import { Guarantee } from '../../src/admission/guarantee.ts'
import { allocate } from '../../src/coordinator/allocate-classes.ts'
import { classDebtAfter, settlingRate } from '../../src/coordinator/guarantee-debt.ts'

const ISOLATES = 100
const WARM_UP_S = 20
const MEASURED_S = 60
const SEEDS = Array.from({ length: 100 }, (_, i) => i + 1)

describe('guaranteed rates over 100 isolates (Urgaonkar and Shenoy 2005, §3.1)', () => {
  // Fifty of the hundred isolates are replaced within the measured minute. Their counts since their last report are
  // lost, so about 0.6 % more is admitted than the debt accounts for. The remaining noise comes from about three
  // seconds between a plan and its report: a standard deviation of 1.6 % for 12/s and 1.1 % for 40/s. So one minute
  // in a thousand is off by more than 5 %.
  for (const arrivals of [12, 40]) {
    for (const smoothing of [1, 0.5]) {
      const measured = smoothing === 1 ? 'the last second' : 'a smoothed measurement'
      it(`admit 10/s of ${arrivals}/s, within 5 % over 60 s, planned from ${measured}`, ({
        expect,
      }) => {
        const rates = SEEDS.map((seed) => {
          const run = crowd({ seed, smoothing, guaranteed: 10, arrivalsAt: () => arrivals })
          return sum(run.conformed.slice(WARM_UP_S)) / MEASURED_S
        })
        const within = rates.filter((rate) => rate > 9.5 && rate < 10.5)
        expect(within.length).toBeGreaterThanOrEqual(SEEDS.length - 1)
        expect(Math.abs(sum(rates) / SEEDS.length - 10)).toBeLessThan(0.1)
      })
    }
  }

  it('would be 4 % too high without the debt account: 10/s of 40/s', ({ expect }) => {
    const rates = SEEDS.map((seed) => {
      const run = crowd({ seed, guaranteed: 10, arrivalsAt: () => 40, hasDebt: false })
      return sum(run.conformed.slice(WARM_UP_S)) / MEASURED_S
    })
    expect(sum(rates) / SEEDS.length).toBeGreaterThan(10.4)
  })

  it('admit nearly everything below the guarantee: 8/s of 10/s', ({ expect }) => {
    const { conformed, arrived } = crowd({ seed: 1, guaranteed: 10, arrivalsAt: () => 8 })
    // The rest came as the second of two to an isolate that was just born. It is drawn like everybody.
    expect(sum(conformed) / sum(arrived)).toBeGreaterThan(0.95)
  })

  it('limit a surge of 400/s before any plan knows of it, and return to 10/s in 4 s', ({
    expect,
  }) => {
    for (const seed of SEEDS) {
      const { conformed } = crowd({
        seed,
        guaranteed: 10,
        arrivalsAt: (s) => (s < 40 ? 8 : 400),
      })
      // In the first second each isolate has four tokens at the most. The probability alone would admit 400.
      expect(conformed[40], `seed ${seed}`).toBeLessThan(250)
      expect(sum(conformed.slice(44, 54)) / 10, `seed ${seed}`).toBeLessThan(11)
      expect(sum(conformed.slice(50, 80)) / 30, `seed ${seed}`).toBeGreaterThan(9)
    }
  })
})

describe('one isolate with all the traffic', () => {
  it('may admit 1.5 times the guarantee while the plan’s conforming part is 1', ({ expect }) => {
    const guarantee = new Guarantee(0, 0)
    const bySecond = Array.from({ length: 6 }, (_, s) => {
      guarantee.set(1, 10, s * 1000)
      return count(1000, (i) => guarantee.take(s * 1000 + i))
    })
    // Its bucket starts with one token at 0.25/s; then 15/s and at most 30 saved.
    expect(bySecond[0]).toBe(1)
    for (const taken of bySecond.slice(1)) expect(taken).toBeLessThanOrEqual(30 + 15)
    expect(bySecond[5]).toBe(15)
  })

  it('admits 14 in a row of a guarantee of 100/s after a quiet time', ({ expect }) => {
    const quiet = (share: number) => {
      const guarantee = new Guarantee(0, 0)
      guarantee.set(1, 100, 0, share)
      return count(14, () => guarantee.take(20_000))
    }
    expect(quiet(1)).toBe(14)
    expect(quiet(0.5)).toBe(4)
  })

  it('admits no more than the guarantee in a row', ({ expect }) => {
    const guarantee = new Guarantee(0, 0)
    guarantee.set(1, 100, 0, 1)
    expect(count(500, () => guarantee.take(20_000))).toBe(100)
  })

  it('admits nothing with a guarantee of 0', ({ expect }) => {
    const guarantee = new Guarantee(0.99, 0)
    guarantee.set(0, 0, 0)
    expect(count(100, (i) => guarantee.take(i * 1000))).toBe(0)
  })

  it('admits nothing before its first plan', ({ expect }) => {
    expect(new Guarantee(0.99, 0).take(0)).toBe(false)
  })

  it('admits one visitor in the second of its birth, however many come', ({ expect }) => {
    for (const guaranteed of [1, 10, 1000]) {
      const newborn = new Guarantee(0.5, 0)
      newborn.set(1, guaranteed, 0, 0.005)
      expect(count(1000, (i) => newborn.take(i))).toBe(1)
    }
  })

  it('still works after its clock was set back by an hour', ({ expect }) => {
    const guarantee = new Guarantee(0, 3_600_000)
    guarantee.set(1, 10, 3_600_000)
    for (let s = 0; s < 5; s++) {
      guarantee.set(1, 10, s * 1000)
      for (let i = 0; i < 8; i++) guarantee.take(s * 1000 + i * 125)
    }
    expect(count(8, (i) => guarantee.take(5000 + i * 125))).toBe(8)
  })
})

interface Crowd {
  readonly seed: number
  readonly guaranteed: number
  readonly arrivalsAt: (second: number) => number
  /** Weight of the last second in the plan's arrivals. */
  readonly smoothing?: number
  readonly hasDebt?: boolean
}

/**
 * Poisson arrivals at isolates by Zipf's law. An isolate reports with the first request a second or more after its last
 * report, and the answer is the newest plan. The coordinator makes one each second from the reports of the second
 * before.
 */
function crowd({ seed, guaranteed, arrivalsAt, smoothing = 1, hasDebt = true }: Crowd) {
  const random = streams(seed)
  const [clock, where, death] = [random('arrivals'), random('isolates'), random('deaths')]
  const seconds = WARM_UP_S + MEASURED_S
  const conformed = new Array<number>(seconds).fill(0)
  const arrived = new Array<number>(seconds).fill(0)
  const birth = (nowMs: number) => new Isolate(random('phases').fork(births++).next(), nowMs)
  let births = 0
  const isolates = Array.from({ length: ISOLATES }, () => birth(0))
  const pick = zipf(ISOLATES)

  let plan = { conforming: 1, guaranteed }
  let reported = { arrivals: 0, conformed: 0 }
  let arrivals: number | null = null
  let debt = 0
  const tick = () => {
    arrivals = smoothing * reported.arrivals + (1 - smoothing) * (arrivals ?? reported.arrivals)
    const { conformed: admitted } = reported
    if (hasDebt) debt = classDebtAfter(debt, { guaranteed, admitted, lengthMs: 1000 })
    const vip = { key: 'vip', value: 1, guaranteed, arrivals, cost: 1 }
    const demand = { ...vip, settlingRate: settlingRate(debt) }
    plan = allocate({ limit: 1000, order: 'value', classes: [demand] }).classes.vip!
    reported = { arrivals: 0, conformed: 0 }
  }

  let nowMs = 0
  for (let second = 0; second < seconds; second++) {
    for (;;) {
      nowMs += exponential({ mean: 1000 / arrivalsAt(second) }).draw(clock)
      if (nowMs >= (second + 1) * 1000) break
      const isolate = isolates[pick(where)]!
      arrived[second]! += 1
      if (isolate.arrive(plan, nowMs)) conformed[second]! += 1
      const report = isolate.reportIfDue(plan, nowMs)
      reported.arrivals += report.arrivals
      reported.conformed += report.conformed
    }
    nowMs = (second + 1) * 1000
    tick()
    for (let i = 0; i < ISOLATES; i++) if (death.next() < 1 / 120) isolates[i] = birth(nowMs)
  }
  return { conformed, arrived }
}

const NOTHING = { arrivals: 0, conformed: 0 }

class Isolate {
  readonly #guarantee: Guarantee
  #hasPlan = false
  #counters = NOTHING
  #reportedAtMs: number

  constructor(phase: number, nowMs: number) {
    this.#guarantee = new Guarantee(phase, nowMs)
    this.#reportedAtMs = nowMs
  }

  /** The first request of an isolate finds its colo's cached plan. */
  arrive(plan: { conforming: number; guaranteed: number }, nowMs: number): boolean {
    if (!this.#hasPlan) this.#guarantee.set(plan.conforming, plan.guaranteed, nowMs)
    this.#hasPlan = true
    const conforms = this.#guarantee.take(nowMs)
    const { arrivals, conformed } = this.#counters
    this.#counters = { arrivals: arrivals + 1, conformed: conformed + (conforms ? 1 : 0) }
    return conforms
  }

  reportIfDue(plan: { conforming: number; guaranteed: number }, nowMs: number): typeof NOTHING {
    if (nowMs - this.#reportedAtMs < 1000) return NOTHING
    const report = this.#counters
    this.#counters = NOTHING
    this.#reportedAtMs = nowMs
    this.#guarantee.set(plan.conforming, plan.guaranteed, nowMs)
    return report
  }
}

/** The k-th of n is k times less likely than the first. */
function zipf(n: number): (random: Random) => number {
  const upTo: number[] = []
  let total = 0
  for (let k = 1; k <= n; k++) {
    total += 1 / k
    upTo.push(total)
  }
  return (random) => {
    const at = random.next() * total
    return upTo.findIndex((end) => at < end)
  }
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, n) => total + n, 0)
}

function count(n: number, verdict: (i: number) => boolean): number {
  return sum(Array.from({ length: n }, (_, i) => (verdict(i) ? 1 : 0)))
}
