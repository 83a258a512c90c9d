import { describe, it } from 'vitest'
import { streams } from '../../../lab/engine/random.ts'
import { ABANDONED, FAILED, SERVED } from '../../../lab/engine/requests.ts'
import { AIMD_LIMIT_DEFAULTS, AimdLimit } from '../../../lab/peers/netflix-aimd.ts'
import { GRADIENT2_DEFAULTS, Gradient2 } from '../../../lab/peers/netflix-gradient2.ts'
import { log10Step, VEGAS_DEFAULTS, Vegas } from '../../../lab/peers/netflix-vegas.ts'
import { type LimitSample, WindowedLimit } from '../../../lab/peers/netflix-window.ts'

const sample = (rttMs: number, inFlight = 1000, dropped = false): LimitSample => ({
  rttMs,
  inFlight,
  dropped,
})

/** An algorithm that only records its samples. */
function noted() {
  const samples: LimitSample[] = []
  return { samples, limit: 20, update: (given: LimitSample) => void samples.push(given) }
}

describe('WindowedLimit (Netflix concurrency-limits)', () => {
  it('passes on the mean time and the maximum in flight of each second', ({ expect }) => {
    const algorithm = noted()
    const limiter = new WindowedLimit(algorithm)
    limiter.finished(SERVED, 50, 99, 1) // ends the empty first window, and is dropped with it
    for (let i = 1; i <= 9; i++) limiter.finished(SERVED, 10 * i, i, 100 * i)
    limiter.finished(SERVED, 100, 10, 1001)
    expect(algorithm.samples).toEqual([])
    limiter.finished(SERVED, 165, 4, 1002)
    // (10 + 20 + … + 100 + 165) / 11 = 65
    expect(algorithm.samples).toEqual([sample(65, 10)])
  })

  it('drops a window with fewer than ten answers', ({ expect }) => {
    const algorithm = noted()
    const limiter = new WindowedLimit(algorithm)
    limiter.finished(SERVED, 50, 1, 1)
    for (let i = 0; i < 8; i++) limiter.finished(SERVED, 50, 1, 500)
    limiter.finished(SERVED, 50, 1, 1002)
    for (let i = 0; i < 9; i++) limiter.finished(SERVED, 70, 1, 1500)
    limiter.finished(SERVED, 70, 1, 2003)
    expect(algorithm.samples).toEqual([sample(70, 1)])
  })

  it('ignores abandoned requests and those under 0.1 ms; an error is a drop without a time', ({
    expect,
  }) => {
    const algorithm = noted()
    const limiter = new WindowedLimit(algorithm)
    limiter.finished(SERVED, 50, 1, 1)
    for (let i = 0; i < 10; i++) limiter.finished(SERVED, 50, 1, 500)
    limiter.finished(ABANDONED, 8000, 50, 500)
    limiter.finished(SERVED, 0.09, 60, 500)
    limiter.finished(FAILED, 9000, 7, 500)
    limiter.finished(SERVED, 50, 1, 1002)
    expect(algorithm.samples).toEqual([sample(50, 7, true)])
  })

  it('passes each answer on if it has no window', ({ expect }) => {
    const algorithm = noted()
    const limiter = new WindowedLimit(algorithm, { windowMs: 0 })
    limiter.finished(SERVED, 50, 3, 1)
    limiter.finished(FAILED, 60, 4, 1)
    expect(algorithm.samples).toEqual([sample(50, 3), sample(60, 4, true)])
  })

  it('admits while fewer are in flight than the integer part of the limit', ({ expect }) => {
    const limiter = new WindowedLimit({ ...noted(), limit: 20.8 })
    expect(limiter.accepts(19)).toBe(true)
    expect(limiter.accepts(20)).toBe(false)
  })
})

describe('Gradient2Limit (Netflix concurrency-limits)', () => {
  it('has the library’s defaults', ({ expect }) => {
    expect(GRADIENT2_DEFAULTS).toEqual({
      initialLimit: 20,
      minLimit: 20,
      maxLimit: 200,
      smoothing: 0.2,
      queueSize: 4,
      longWindow: 600,
      tolerance: 1.5,
    })
  })

  it('moves to 0.8 L + 0.2 (g L + 4), g = clamp(1.5 long/rtt, 0.5, 1)', ({ expect }) => {
    const algorithm = new Gradient2()
    algorithm.update(sample(100))
    expect(algorithm.limit).toBeCloseTo(20.8, 12) // g = 1
    algorithm.update(sample(300))
    expect(algorithm.limit).toBeCloseTo(21.6, 12) // long 200, g = 1
    algorithm.update(sample(1000))
    expect(algorithm.limit).toBeCloseTo(21.104, 12) // long 466.7, g = 0.7: 17.28 + 0.2 × 19.12
    algorithm.update(sample(1000, 10)) // less than half of the limit is used
    expect(algorithm.limit).toBeCloseTo(21.104, 12)
    algorithm.update(sample(1e6))
    expect(algorithm.limit).toBe(20) // g = 0.5: 16.88 + 0.2 × 14.55 = 19.79, but at least 20
  })

  it('lets the long-term average fall faster when it is over twice the response time', ({
    expect,
  }) => {
    const algorithm = new Gradient2()
    algorithm.update(sample(1000))
    algorithm.update(sample(100)) // mean 550, over 200
    expect(algorithm.longRttMs).toBeCloseTo(0.95 * 550, 12)
  })

  it('drifts in a long overload: slow response times become normal', ({ expect }) => {
    const algorithm = new Gradient2()
    for (let i = 0; i < 10; i++) algorithm.update(sample(100))
    for (let i = 0; i < 20; i++) algorithm.update(sample(1000))
    expect(algorithm.limit).toBe(20)
    for (let i = 0; i < 600; i++) algorithm.update(sample(1000))
    expect(algorithm.limit).toBe(200)
  })
})

describe('VegasLimit (Netflix concurrency-limits)', () => {
  const vegas = () => new Vegas({}, streams(1)('test'))

  it('has the library’s defaults', ({ expect }) => {
    expect(VEGAS_DEFAULTS).toEqual({
      initialLimit: 20,
      maxLimit: 1000,
      smoothing: 1,
      probeMultiplier: 30,
    })
  })

  it('steps by the integer part of log10 L, at least one', ({ expect }) => {
    expect([1, 9, 10, 99, 100, 999, 1000].map(log10Step)).toEqual([1, 1, 1, 1, 2, 2, 3])
  })

  it('steps by the queue ⌈L (1 − fastest/rtt)⌉: +6 to 1, +1 below 3, −1 above 6', ({ expect }) => {
    const algorithm = vegas()
    const limitAfter = (given: LimitSample) => {
      algorithm.update(given)
      return algorithm.limit
    }
    expect(limitAfter(sample(100))).toBe(20) // only makes 100 ms the fastest
    expect(limitAfter(sample(105))).toBe(26) // queue ⌈0.95⌉ = 1
    expect(limitAfter(sample(110))).toBe(26) // queue ⌈2.36⌉ = 3: stays
    expect(limitAfter(sample(105))).toBe(27) // queue ⌈1.24⌉ = 2
    expect(limitAfter(sample(125))).toBe(27) // queue ⌈5.4⌉ = 6: stays
    expect(limitAfter(sample(130))).toBe(26) // queue ⌈6.23⌉ = 7
    expect(limitAfter(sample(100, 100, true))).toBe(25) // a drop
    expect(limitAfter(sample(100, 12))).toBe(25) // less than half of the limit is used
    expect(limitAfter(sample(90))).toBe(25) // a new fastest
    expect(algorithm.fastestMs).toBe(90)
  })

  it('forgets the fastest after U(0.5, 1) × 30 L samples', ({ expect }) => {
    const jitter = 0.5 + 0.5 * streams(1)('test').next()
    const algorithm = vegas()
    algorithm.update(sample(100, 1))
    const due = Math.ceil(jitter * 30 * 20)
    for (let i = 2; i < due; i++) algorithm.update(sample(500, 1))
    expect(algorithm.fastestMs).toBe(100)
    algorithm.update(sample(500, 1))
    expect(algorithm.fastestMs).toBe(500)
  })
})

describe('AIMDLimit (Netflix concurrency-limits)', () => {
  it('has the library’s defaults', ({ expect }) => {
    const { timeoutMs, ...limits } = AIMD_LIMIT_DEFAULTS
    expect(limits).toEqual({ initialLimit: 20, minLimit: 20, maxLimit: 200, backoff: 0.9 })
    expect(timeoutMs).toBe(5000)
  })

  it('adds one if half is used, and keeps nine tenths after a drop or a time-out', ({ expect }) => {
    const algorithm = new AimdLimit({ initialLimit: 50 })
    const limitAfter = (given: LimitSample) => {
      algorithm.update(given)
      return algorithm.limit
    }
    expect(limitAfter(sample(5000, 25))).toBe(51)
    expect(limitAfter(sample(5000, 25))).toBe(51)
    expect(limitAfter(sample(5001, 25))).toBe(45) // ⌊45.9⌋
    expect(limitAfter(sample(10, 25, true))).toBe(40) // ⌊40.5⌋
    for (let i = 0; i < 20; i++) limitAfter(sample(10, 25, true))
    expect(algorithm.limit).toBe(20)
  })
})
