import fc from 'fast-check'
import { describe, it } from 'vitest'
import {
  type ClassBatch,
  places,
  type ServerLoad,
  testBatches,
} from '../../../src/admission/batch/batch-test.ts'
import {
  SERVICE_BUCKETS,
  serviceBucketMs,
  serviceBucketOf,
} from '../../../src/measure/service-buckets.ts'

const idle: ServerLoad = {
  queueingMs: 0,
  inFlight: 0,
  servers: 3,
  targetMs: 1000,
  longestMs: 0,
  rounding: 0,
}
const batch = (count: number, serviceMs: number) => ({ count, serviceMs })
const waiting = (delayMs: number, ...buckets: { count: number; serviceMs: number }[]) => ({
  delayMs,
  buckets,
})
/** Equation 4 as printed. */
/** `toleranceMs`: sums of fractions that are equal on paper may differ by it. */
const passes = (
  load: ServerLoad,
  count: number,
  serviceMs: number,
  delayMs: number,
  toleranceMs = 0,
) =>
  load.queueingMs + (load.inFlight + Math.ceil(count / load.servers)) * serviceMs <=
  load.targetMs - delayMs + toleranceMs

describe('the batch test (Urgaonkar and Shenoy 2005, §3.2, eq. 3 and 4)', () => {
  it('admits 3 × ⌊1000/100⌋ = 30 requests of 100 ms to three idle servers', ({ expect }) => {
    expect(testBatches(idle, [waiting(0, batch(50, 100))]).admitted).toEqual([[30]])
  })

  it('subtracts the queueing time, the requests in flight and the delay of the class', ({
    expect,
  }) => {
    // 1000 − 200 − 100 = 700 ms: seven at each server, minus two and a half in flight.
    const load = { ...idle, queueingMs: 200, inFlight: 2.5 }
    expect(testBatches(load, [waiting(100, batch(50, 100))]).admitted).toEqual([[3 * 4]])
  })

  it('counts the admitted requests before it tests the next bucket', ({ expect }) => {
    // 9 requests of 50 ms are 3 at each server; then 7 places of 100 ms are left at each.
    const classes = [waiting(0, batch(9, 50)), waiting(0, batch(50, 100))]
    expect(testBatches(idle, classes).admitted).toEqual([[9], [21]])
  })

  it('tests a batch as a whole: 2 tests for 1000 requests in two buckets', ({ expect }) => {
    const classes = [waiting(0, batch(500, 1), batch(500, 2))]
    expect(testBatches(idle, classes)).toMatchObject({ admitted: [[500, 500]], tests: 2 })
  })

  it('refuses requests untested if they are at least as large as a failed one', ({ expect }) => {
    const classes = [
      waiting(0, batch(99, 100), batch(5, 200)),
      waiting(50, batch(5, 100), batch(5, 400)),
    ]
    expect(testBatches(idle, classes)).toEqual({
      admitted: [
        [30, 0],
        [0, 0],
      ],
      tests: 1,
      failedMs: [100, Infinity],
    })
  })

  it('still tests a small request of a less important class after a large one of a more important class failed', ({
    expect,
  }) => {
    const busy = { ...idle, inFlight: 3 }
    const classes = [waiting(0, batch(1, 400)), waiting(50, batch(5, 10))]
    expect(testBatches(busy, classes)).toMatchObject({ admitted: [[0], [5]], tests: 2 })
  })

  it('does not let small requests make a large request in flight late', ({ expect }) => {
    // With ten at a server, the request of 100 ms takes 1000 ms. Without it, 200 requests of 5 ms would pass.
    const load = { ...idle, inFlight: 8, longestMs: 100 }
    expect(testBatches(load, [waiting(0, batch(99, 5))]).admitted).toEqual([[6]])
    expect(testBatches({ ...load, longestMs: 0 }, [waiting(0, batch(99, 5))]).admitted).toEqual([
      [99],
    ])
  })

  it('keeps a place for Gold: Bronze stops at 900 ms and Gold at 1000', ({ expect }) => {
    const full = { ...idle, inFlight: 9 }
    expect(testBatches(full, [waiting(100, batch(5, 100))]).admitted).toEqual([[0]])
    expect(testBatches(full, [waiting(0, batch(5, 100))]).admitted).toEqual([[3]])
  })

  it('fills the last place where (4) holds with equality, whatever the rounding', ({ expect }) => {
    // (1 + β) × 110 ms = 330 ms: two places. In floating point 330 / 110 − (0.1 + 0.2 + 0.7) is a little below 2.
    const load = { ...idle, servers: 1, targetMs: 330, inFlight: 0.1 + 0.2 + 0.7 }
    expect(places(load, 110, 0)).toBe(2)
    for (let tenths = 1; tenths < 100; tenths++) {
      const serviceMs = tenths / 10
      expect(places({ ...load, targetMs: 3 * serviceMs, inFlight: 0 }, serviceMs, 0)).toBe(3)
    }
  })

  it('admits no request that cannot be answered in time at all', ({ expect }) => {
    expect(places(idle, 1001, 0)).toBe(0)
    expect(places(idle, 950, 100)).toBe(0)
    expect(places({ ...idle, queueingMs: 2000 }, 1, 0)).toBe(0)
    expect(places({ ...idle, servers: 0 }, 1, 0)).toBe(0)
    expect(places({ ...idle, inFlight: Number.NaN }, 1, 0)).toBe(0)
  })
})

describe("an isolate's share of the servers", () => {
  it('adds up to the whole over a hundred isolates: 30 places of 100 ms at three servers', ({
    expect,
  }) => {
    const admitted = Array.from({ length: 100 }, (_, i) => {
      const share = { ...idle, servers: 0.03, rounding: (i + 0.5) / 100 }
      return testBatches(share, [waiting(0, batch(5, 100))]).admitted[0]![0]!
    })
    expect(admitted.reduce((sum, n) => sum + n)).toBe(30)
  })

  it('would be a hundred times too large if each tested against all three servers', ({
    expect,
  }) => {
    const each = testBatches(idle, [waiting(0, batch(50, 100))]).admitted[0]![0]!
    expect(100 * each).toBe(3000)
  })
})

describe('the result of any batch test', () => {
  const anyLoad = fc.record({
    queueingMs: fc.nat(300),
    inFlight: fc.double({ min: 0, max: 20, noNaN: true }),
    servers: fc.oneof(
      fc.integer({ min: 1, max: 8 }),
      fc.double({ min: 0.01, max: 3, noNaN: true }),
    ),
    targetMs: fc.constant(1000),
    longestMs: fc.constantFrom<number>(0, 0, 30),
    rounding: fc.double({ min: 0, max: 0.999, noNaN: true }),
  })
  const serviceTimes = fc.uniqueArray(fc.constantFrom(2, 5, 10, 30, 100, 250), { maxLength: 4 })
  const anyClasses = fc
    .array(fc.record({ count: fc.nat(80), sizes: serviceTimes }), { maxLength: 4 })
    .map((list): ClassBatch[] =>
      list.map(({ count, sizes }, i) => ({
        delayMs: 50 * i,
        buckets: sizes.toSorted((a, b) => a - b).map((serviceMs) => ({ count, serviceMs })),
      })),
    )

  it('passes equation 4, and with one request more it does not, if the number of servers is whole', ({
    expect,
  }) => {
    // Binary fractions are exact. Otherwise equation 4 as printed would fail by rounding where it holds with equality.
    const whole = anyLoad
      .filter(({ servers }) => Number.isInteger(servers))
      .map((load) => ({ ...load, inFlight: Math.round(load.inFlight * 1024) / 1024 }))
    fc.assert(
      fc.property(whole, fc.integer({ min: 1, max: 200 }), fc.nat(300), (load, size, delay) => {
        const most = places(load, size, delay)
        if (most > 0) expect(passes(load, most, size, delay, 1e-5)).toBe(true)
        expect(passes(load, most + 1, size, delay)).toBe(false)
      }),
    )
  })

  it('is the same with and without the tests that are skipped', ({ expect }) => {
    fc.assert(
      fc.property(anyLoad, anyClasses, (load, classes) => {
        const one = { load, admitted: [] as number[][] }
        for (const { delayMs, buckets } of classes) {
          const row: number[] = []
          for (const bucket of buckets) {
            const [[passing]] = testBatches(one.load, [{ delayMs, buckets: [bucket] }])
              .admitted as [[number]]
            row.push(passing)
            if (passing === 0) continue
            one.load = {
              ...one.load,
              inFlight: one.load.inFlight + passing / load.servers,
              longestMs: Math.max(one.load.longestMs, bucket.serviceMs),
            }
          }
          one.admitted.push(row)
        }
        const verdict = testBatches(load, classes)
        expect(verdict.admitted).toEqual(one.admitted)
        expect(verdict.tests).toBeLessThanOrEqual(classes.flatMap((c) => c.buckets).length)
      }),
    )
  })

  it('never refuses a class and admits a less important one with requests of the same size or larger', ({
    expect,
  }) => {
    fc.assert(
      fc.property(anyLoad, anyClasses, (load, classes) => {
        const { admitted } = testBatches(load, classes)
        classes.forEach(({ buckets }, i) => {
          buckets.forEach(({ count, serviceMs }, j) => {
            if (admitted[i]![j] === count) return
            classes.slice(i + 1).forEach((lesser, k) => {
              lesser.buckets.forEach((other, l) => {
                if (other.serviceMs >= serviceMs) expect(admitted[i + 1 + k]![l]).toBe(0)
              })
            })
          })
        })
      }),
    )
  })
})

describe('buckets by inherent service time', () => {
  it('are half-open with the upper end included: 2 ms is in (1.68, 2], 2.01 ms is not', ({
    expect,
  }) => {
    expect(serviceBucketOf(2)).toBe(serviceBucketOf(1.7))
    expect(serviceBucketOf(2.01)).toBe(serviceBucketOf(2) + 1)
  })

  it('have a middle within 10 % of every service time in them', ({ expect }) => {
    fc.assert(
      fc.property(fc.double({ min: 1.001, max: 60_000, noNaN: true }), (ms) => {
        expect(Math.abs(serviceBucketMs(serviceBucketOf(ms)) / ms - 1)).toBeLessThan(0.1)
      }),
    )
  })

  it('cover everything: 0, NaN and an hour', ({ expect }) => {
    for (const ms of [0, -1, Number.NaN]) expect(serviceBucketOf(ms)).toBe(0)
    for (const ms of [3_600_000, Infinity]) expect(serviceBucketOf(ms)).toBe(SERVICE_BUCKETS - 1)
  })
})
