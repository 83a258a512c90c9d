import fc from 'fast-check'
import { describe, it } from 'vitest'
import {
  type Capacity,
  carriedRate,
  foundCapacity,
  isCapacity,
  NO_CAPACITY,
  observeCapacity,
  type SaturationTick,
  scaleCapacity,
} from '../../../src/learners/soc-lqr/capacity.ts'

/** A second in which requests waited all the time. */
const SATURATED: SaturationTick = {
  served: 100,
  seconds: 1,
  saturated: true,
  abandoned: 0,
  variation: 1,
  isClear: true,
  proven: 0,
}
const CALM: SaturationTick = { ...SATURATED, saturated: false }

/** 100/s, known from many completions. */
const HUNDRED: Capacity = { ...NO_CAPACITY, rate: 100, weight: 2000 }

/** What is known after these ticks, and the tick that first changed it at once; 0: none did. */
function after(known: Capacity, ticks: readonly SaturationTick[]) {
  let capacity = known
  let changedAt = 0
  for (const [i, tick] of ticks.entries()) {
    const step = observeCapacity(capacity, tick)
    capacity = step.capacity
    if (step.changed && changedAt === 0) changedAt = i + 1
  }
  return { capacity, changedAt }
}

const repeat = (tick: SaturationTick, count: number) => new Array<SaturationTick>(count).fill(tick)

describe('the utilisation law: while requests wait all the time, the goodput is the capacity', () => {
  it('finds C for an origin of any size, and of any length of a tick', ({ expect }) => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 100_000 }),
        fc.double({ min: 0.2, max: 30, noNaN: true }),
        (served, seconds) => {
          const ticks = repeat({ ...SATURATED, served, seconds }, 100)
          const { capacity, changedAt } = after(NO_CAPACITY, ticks)
          expect(changedAt).toBeGreaterThan(1)
          expect(capacity.rate! / (served / seconds)).toBeCloseTo(1, 9)
        },
      ),
    )
  })

  it('says nothing about an origin that is not saturated, however much it serves', ({ expect }) => {
    const { capacity, changedAt } = after(NO_CAPACITY, repeat(CALM, 500))
    expect(capacity.rate).toBeNull()
    expect(changedAt).toBe(0)
  })

  it('does not talk C down by its own limit: a calm origin that serves less keeps what is known', ({
    expect,
  }) => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 100 }), (served) => {
        const { capacity } = after(HUNDRED, repeat({ ...CALM, served }, 100))
        expect(capacity.rate).toBe(100)
      }),
    )
  })
})

describe('a saturated origin that serves another rate than is known', () => {
  it('has changed at once where the difference is no chance: half is taken within a few ticks', ({
    expect,
  }) => {
    const { capacity, changedAt } = after(HUNDRED, repeat({ ...SATURATED, served: 50 }, 20))
    expect(changedAt).toBeGreaterThan(0)
    expect(changedAt).toBeLessThanOrEqual(5)
    expect(Math.abs(capacity.rate! / 50 - 1)).toBeLessThan(0.02)
  })

  it('is blended by completions where it may be chance: 2 % less, well within two deviations', ({
    expect,
  }) => {
    const { capacity, changedAt } = after(
      { ...HUNDRED, weight: 500 },
      repeat({ ...SATURATED, served: 98 }, 5),
    )
    expect(changedAt).toBe(0)
    // 500 completions in 5 s, and 490 in 5 s.
    expect(capacity.rate).toBeCloseTo(990 / 10, 9)
  })

  it('is never blended beyond the two: C stays between what was known and what is served', ({
    expect,
  }) => {
    const served = fc.integer({ min: 30, max: 300 })
    fc.assert(
      fc.property(fc.array(served, { minLength: 1, maxLength: 60 }), (all) => {
        const ticks = all.map((count) => ({ ...SATURATED, served: count }))
        const { rate } = after(HUNDRED, ticks).capacity
        expect(rate).toBeGreaterThanOrEqual(Math.min(100, ...all) - 1e-9)
        expect(rate).toBeLessThanOrEqual(Math.max(100, ...all) + 1e-9)
      }),
    )
  })

  it('needs more evidence where service varies more', ({ expect }) => {
    const at = (variation: number) =>
      after(HUNDRED, repeat({ ...SATURATED, served: 70, variation }, 60)).changedAt
    expect(at(1)).toBeGreaterThan(0)
    expect(at(9) === 0 || at(9) > at(1)).toBe(true)
  })

  it('raises hardly any false alarm: Poisson counts of the same rate, an hour of them', ({
    expect,
  }) => {
    // A sum of twelve uniform draws less six is nearly normal.
    let seed = 12_345
    const uniform = () => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
      return seed / 2 ** 31
    }
    const normal = () => Array.from({ length: 12 }, uniform).reduce((sum, u) => sum + u, -6)
    const ticks = Array.from({ length: 3600 }, () => ({
      ...SATURATED,
      served: Math.round(100 + 10 * normal()),
    }))
    let changes = 0
    let capacity = HUNDRED
    for (const tick of ticks) {
      const step = observeCapacity(capacity, tick)
      if (step.changed) changes++
      capacity = step.capacity
    }
    expect(changes).toBeLessThanOrEqual(6)
    expect(Math.abs(capacity.rate! / 100 - 1)).toBeLessThan(0.05)
  })
})

describe('what an origin carries it can carry', () => {
  it('raises C without any queue, to a little less than what is carried', ({ expect }) => {
    const { capacity } = after(HUNDRED, repeat({ ...CALM, served: 150 }, 60))
    expect(capacity.rate).toBeGreaterThan(130)
    expect(capacity.rate).toBeLessThanOrEqual(150)
  })

  it('is believed less two deviations, so never beyond the goodput itself', ({ expect }) => {
    fc.assert(
      fc.property(fc.nat(1e6), fc.double({ min: 0.1, max: 1e3, noNaN: true }), (n, seconds) => {
        const carried = { completions: n, seconds, ticks: 2 }
        const rate = carriedRate({ ...NO_CAPACITY, carried })
        expect(rate).toBeGreaterThanOrEqual(0)
        expect(rate).toBeLessThanOrEqual(n / seconds)
      }),
    )
  })
})

describe('an origin that stands still', () => {
  const still = { ...SATURATED, served: 0 }

  it.for([1, 2])('for %i ticks has paused, and lost no more than these', (ticks, { expect }) => {
    const { capacity, changedAt } = after(HUNDRED, [...repeat(still, ticks), SATURATED])
    expect(capacity.rate).toBeGreaterThan(90)
    expect(changedAt).toBe(0)
  })

  it('for longer has lost what it does not give', ({ expect }) => {
    const { capacity } = after(HUNDRED, repeat({ ...SATURATED, served: 10 }, 30))
    expect(Math.abs(capacity.rate! / 10 - 1)).toBeLessThan(0.1)
  })
})

describe('requests whose clients went away may have been work too', () => {
  it('are between nothing and all of it: what is known is believed as long as it lies between', ({
    expect,
  }) => {
    fc.assert(
      fc.property(fc.integer({ min: 30, max: 100 }), fc.nat(200), (served, more) => {
        const abandoned = 100 - served + more
        const { capacity, changedAt } = after(
          HUNDRED,
          repeat({ ...SATURATED, served, abandoned }, 20),
        )
        expect(changedAt).toBe(0)
        expect(capacity.rate).toBeCloseTo(100, 6)
      }),
    )
  })

  it('bound a first measurement from both sides', ({ expect }) => {
    const { capacity } = after(NO_CAPACITY, repeat({ ...SATURATED, abandoned: 40 }, 10))
    expect(capacity.rate).toBeGreaterThanOrEqual(100)
    expect(capacity.rate).toBeLessThanOrEqual(140)
  })

  it('do not hide a loss: served and abandoned together are the most that was done', ({
    expect,
  }) => {
    const lost = { ...SATURATED, served: 40, abandoned: 10 }
    const { capacity } = after(HUNDRED, repeat(lost, 20))
    expect(capacity.rate).toBeLessThanOrEqual(50 * 1.02)
  })
})

describe('a fall may be a pause, or work for clients that have left', () => {
  const PAUSED = { ...SATURATED, served: 60 }

  it.for([1, 2])(
    'does not believe pauses of %i ticks, however many of them, with some calm in between',
    (ticks, { expect }) => {
      const pause = [...repeat(PAUSED, ticks), ...repeat(CALM, 15)]
      const { capacity, changedAt } = after(HUNDRED, new Array(8).fill(pause).flat())
      expect(changedAt).toBe(0)
      expect(capacity.rate).toBeGreaterThan(80)
    },
  )

  it('believes a fall that lasts', ({ expect }) => {
    const { capacity, changedAt } = after(HUNDRED, repeat(PAUSED, 10))
    expect(changedAt).toBeGreaterThan(2)
    expect(capacity.rate).toBeCloseTo(60, 0)
  })

  it('does not begin with less than was carried before, where clients leave', ({ expect }) => {
    const collapsed = { ...SATURATED, served: 20, abandoned: 10, isClear: false, proven: 80 }
    const first = repeat(collapsed, 6).map((_, i, all) => after(NO_CAPACITY, all.slice(0, i + 1)))
    const found = first.find(({ capacity }) => capacity.rate !== null)
    expect(found?.capacity.rate).toBe(80)
  })
})

describe('what was served before a change is no evidence of what can be served after it', () => {
  it('takes a fall at its size, not as the mean of before and after', ({ expect }) => {
    fc.assert(
      fc.property(
        fc.integer({ min: 30, max: 60 }),
        fc.integer({ min: 1, max: 8 }),
        (left, ticks) => {
          const before = repeat(SATURATED, ticks)
          const { capacity } = after(HUNDRED, [
            ...before,
            ...repeat({ ...SATURATED, served: left }, 6),
          ])
          expect(capacity.rate! / left).toBeGreaterThan(0.9)
          expect(capacity.rate! / left).toBeLessThan(1.25)
        },
      ),
    )
  })

  it('takes a rise at its size, too', ({ expect }) => {
    const twice = repeat({ ...SATURATED, served: 200 }, 3)
    const { capacity } = after(HUNDRED, [...repeat(SATURATED, 4), ...twice])
    expect(capacity.rate! / 200).toBeCloseTo(1, 1)
  })
})

describe('an announced change by ρ (Bartolini et al. 2009, §5.3)', () => {
  it('scales C and comes back by 1/ρ; what was measured before says nothing any more', ({
    expect,
  }) => {
    fc.assert(
      fc.property(fc.double({ min: 0.001, max: 1000, noNaN: true }), (ratio) => {
        const { capacity } = after(HUNDRED, repeat(SATURATED, 5))
        const scaled = scaleCapacity(capacity, ratio)
        expect(scaled.rate! / 100).toBeCloseTo(ratio, 9)
        expect(scaled.run).toEqual([])
        expect(scaled.weight).toBeLessThanOrEqual(capacity.weight)
        expect(scaleCapacity(scaled, 1 / ratio).rate).toBeCloseTo(100, 6)
      }),
    )
    expect(scaleCapacity(NO_CAPACITY, 0.5).rate).toBeNull()
  })
})

it('counts a capacity that was found in another way with no more than the completions behind it', ({
  expect,
}) => {
  const found = foundCapacity(HUNDRED, 80, 60)
  expect(found).toMatchObject({ rate: 80, weight: 60, run: [] })
})

it('stays a capacity whatever it is shown', ({ expect }) => {
  const amount = fc.oneof(fc.constant(0), fc.double({ min: 0, max: 1e6, noNaN: true }))
  const tick: fc.Arbitrary<SaturationTick> = fc.record({
    served: fc.nat(100_000),
    seconds: fc.double({ min: 0.001, max: 1e4, noNaN: true }),
    saturated: fc.boolean(),
    abandoned: amount,
    variation: amount,
    isClear: fc.boolean(),
    proven: amount,
  })
  fc.assert(
    fc.property(fc.array(tick, { maxLength: 40 }), (ticks) => {
      expect(isCapacity(after(NO_CAPACITY, ticks).capacity)).toBe(true)
    }),
  )
})
