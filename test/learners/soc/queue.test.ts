import { describe, it } from 'vitest'
import { SocLearner } from '../../../src/learners/soc/learner.ts'
import { addToWindow, EMPTY_WINDOW, tierPercentileMs } from '../../../src/learners/window.ts'
import { Queue } from '../../support/queue.ts'

/** Eight servers of 40 ms: 200 requests/s at the most; 300 are offered. The SLA is a p95 of 200 ms. */
const TARGET = { targetMs: 200 }
const queueOf = (seed: number) => new Queue({ servers: 8, meanMs: 40, seed })
const OFFERED = 300

/** E[RT_n]: the mean over 60 s iterations of their p95, which is what the paper's barycenters hold. */
function meanPercentileMs(rate: number, iterations: number): number {
  const queue = queueOf(99)
  let sum = 0
  for (let n = -3; n < iterations; n++) {
    let window = EMPTY_WINDOW
    let sample = queue.tick(rate, null, TARGET)
    window = addToWindow(window, sample)
    for (let second = 1; second < 60; second++) {
      sample = queue.tick(rate, null, TARGET)
      window = addToWindow(window, sample)
    }
    if (n >= 0) sum += tierPercentileMs(window, sample.tiers[0]!)!
  }
  return sum / iterations
}

/** The rate at which that mean is the target. */
function steeredTo(): number {
  const [low, high] = [176, 184]
  const [lowMs, highMs] = [meanPercentileMs(low, 150), meanPercentileMs(high, 150)]
  // Between two rates that are 4 % apart ln E[RT_n] is all but straight.
  const part = Math.log(TARGET.targetMs / lowMs) / Math.log(highMs / lowMs)
  return low + part * (high - low)
}

/** Runs so many iterations; the limits at their ends. */
function run(learner: SocLearner, queue: Queue, iterations: number): number[] {
  const limits: number[] = []
  for (let second = 1; second <= 60 * iterations; second++) {
    const { limit } = learner.update(queue.tick(OFFERED, learner.state.limit, TARGET))
    if (second % 60 === 0) limits.push(limit ?? OFFERED)
  }
  return limits
}

const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length

/** Erlang's C: the part of the arrivals that have to wait, with c servers and a load of a of them. */
function erlangC(c: number, a: number): number {
  let blocked = 1 // Erlang's B, by its recursion over the servers
  for (let servers = 1; servers <= c; servers++) blocked = (a * blocked) / (servers + a * blocked)
  return blocked / (1 - (a / c) * (1 - blocked))
}

describe('the queue of this test', () => {
  it('meets M/M/8 at 160/s: mean response 1/μ + C(8, 6.4)/(8μ − λ) within 3 %', ({ expect }) => {
    const queue = queueOf(4)
    let [sumUs, completed] = [0, 0]
    for (let second = 0; second < 3600; second++) {
      const [tier] = queue.tick(160, null, TARGET).tiers
      sumUs += tier!.latencyUs
      completed += tier!.completed
    }
    const theoryMs = 40 + (erlangC(8, 6.4) / (200 - 160)) * 1000
    // 3 % is three times the standard error of an hour at a load of 0.8.
    expect(Math.abs(sumUs / completed / 1000 / theoryMs - 1)).toBeLessThan(0.03)
  })
})

describe('soc on M/M/8, from nothing and straight into overload', () => {
  const target = steeredTo()

  it('has a goal that theory allows: between 85 % and 95 % of the capacity', ({ expect }) => {
    expect(target).toBeGreaterThan(170)
    expect(target).toBeLessThan(190)
  })

  it('comes within 5 % of the rate that its paper steers to, and stays there', ({ expect }) => {
    for (const seed of [1, 2, 3]) {
      const limits = run(new SocLearner(), queueOf(seed), 60)
      const settled = limits.slice(30)
      expect(Math.abs(mean(settled) / target - 1)).toBeLessThan(0.05)
      for (const limit of settled) expect(Math.abs(limit / target - 1)).toBeLessThan(0.05)
    }
  })

  it('follows a loss of 3 of 8 servers that nobody announces within 15 iterations', ({
    expect,
  }) => {
    for (const seed of [1, 2, 3]) {
      const queue = queueOf(seed)
      const learner = new SocLearner()
      run(learner, queue, 60)
      queue.servers = 5
      const after = run(learner, queue, 40)
      // Five servers carry 0.625 of the load, less a little: fewer servers queue sooner.
      const goal = 0.59 * target
      for (const limit of after.slice(15)) expect(Math.abs(limit / goal - 1)).toBeLessThan(0.1)
    }
  })
})
