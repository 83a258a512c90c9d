import fc from 'fast-check'
import { describe, it } from 'vitest'
import {
  type BacklogTick,
  believedRate,
  type Capacity,
  isCapacity,
  NO_CAPACITY,
  observeCapacity,
  raiseCapacity,
  scaleCapacity,
  takeCarried,
} from '../../../src/learners/soc-lqr/capacity.ts'

/** A second of an origin that always has something to do. */
const BACKLOGGED: BacklogTick = {
  served: 20,
  seconds: 1,
  backlogged: true,
  busy: true,
  fed: true,
  guarded: false,
  vanished: 0,
  variation: 1,
}
const CALM: BacklogTick = { ...BACKLOGGED, backlogged: false, busy: false }

/** 20 requests a second, known from 4000 completions. */
const TWENTY: Capacity = { ...NO_CAPACITY, rate: 20, weight: 4000 }

/** Which tick of these first says that the capacity changed; 0: none of them. */
function firstChange(capacity: Capacity, tick: BacklogTick, ticks: number) {
  let known = capacity
  for (let n = 1; n <= ticks; n++) {
    const step = observeCapacity(known, tick)
    known = step.capacity
    if (step.changed) return { tick: n, capacity: known }
  }
  return { tick: 0, capacity: known }
}

describe('capacity is goodput, but only while the origin is backlogged', () => {
  it('is not known from any goodput of a calm origin', ({ expect }) => {
    const { tick, capacity } = firstChange(NO_CAPACITY, CALM, 500)
    expect(tick).toBe(0)
    expect(believedRate(capacity)).toBeNull()
  })

  it('is not talked down by its own limit: 12/s served in calm leave 20/s as they are', ({
    expect,
  }) => {
    const { capacity } = firstChange(TWENTY, { ...CALM, served: 12 }, 500)
    expect(believedRate(capacity)).toBe(20)
  })

  it('is found after 30 completions, where the tick that shows the backlog does not count', ({
    expect,
  }) => {
    // 20 a second: seen in the first, 20 after the second, 40 after the third.
    const { tick, capacity } = firstChange(NO_CAPACITY, BACKLOGGED, 10)
    expect(tick).toBe(3)
    expect(believedRate(capacity)).toBe(20)
  })

  it('is not measured in ticks in which the origin may have run out of work', ({ expect }) => {
    const { tick, capacity } = firstChange(TWENTY, { ...BACKLOGGED, served: 8, fed: false }, 50)
    expect(tick).toBe(0)
    expect(believedRate(capacity)).toBe(20)
  })

  it('is no less than what is carried without a queue: 400 completions at 30/s prove 0.9 · 30', ({
    expect,
  }) => {
    // 1 − 2/√400 = 0.9: two deviations of the count.
    const before = firstChange(TWENTY, { ...CALM, served: 30 }, 13)
    expect(believedRate(before.capacity)).toBe(20)
    const after = firstChange(TWENTY, { ...CALM, served: 30 }, 14)
    expect(believedRate(after.capacity)).toBeCloseTo(27, 9)
  })
})

describe('a loss of 40 % that nobody announces', () => {
  it('is believed at 60 completions, 5 ticks, from 20/s to 12/s: 8 > 3.5 · √(12²/60 + 20²/4000)', ({
    expect,
  }) => {
    // 3.5 · √(2.4 + 0.1) = 5.53; four ticks are 48 completions, fewer than the 50 that it takes.
    const { tick, capacity } = firstChange(TWENTY, { ...BACKLOGGED, served: 12 }, 20)
    expect(tick).toBe(5)
    expect(believedRate(capacity)).toBe(12)
    expect(capacity.best).toBeCloseTo(20, 0)
  })

  it('takes a tick more when the backlog shows only by response times', ({ expect }) => {
    const { tick } = firstChange(TWENTY, { ...BACKLOGGED, served: 12, busy: false }, 20)
    expect(tick).toBe(6)
  })

  it('takes more completions where service varies more: with c² = 2.25 72, in 6 ticks', ({
    expect,
  }) => {
    // Five ticks have made C (4000 + 60)/205 = 19.8: 7.8 > 3.5 · 1.5 · √(12²/n + 0.1), or n > 68.
    const { tick } = firstChange(TWENTY, { ...BACKLOGGED, served: 12, variation: 2.25 }, 20)
    expect(tick).toBe(6)
  })

  it('is refined while the backlog lasts: two ticks more at 9/s make 12/s 78/7', ({ expect }) => {
    let { capacity } = firstChange(TWENTY, { ...BACKLOGGED, served: 12 }, 20)
    for (let n = 0; n < 2; n++)
      capacity = observeCapacity(capacity, { ...BACKLOGGED, served: 9 }).capacity
    expect(believedRate(capacity)).toBeCloseTo(78 / 7, 9)
  })
})

describe('a difference that may be chance', () => {
  it('is blended by completions: a tick of 18 makes 20 of 200 s (4000 + 18)/201 = 19.99', ({
    expect,
  }) => {
    const { capacity, changed } = observeCapacity(
      { ...TWENTY, episode: { completions: 0, seconds: 0, changed: false } },
      { ...BACKLOGGED, served: 18 },
    )
    expect(changed).toBe(false)
    expect(believedRate(capacity)).toBeCloseTo(4018 / 201, 9)
  })

  it('never becomes a change: 18/s for 10 minutes end up as 18/s all the same', ({ expect }) => {
    const { tick, capacity } = firstChange(TWENTY, { ...BACKLOGGED, served: 18 }, 600)
    expect(tick).toBe(0)
    expect(Math.abs(believedRate(capacity)! / 18 - 1)).toBeLessThan(0.02)
  })
})

describe('an origin that pauses', () => {
  const TWO_HUNDRED: Capacity = { ...NO_CAPACITY, rate: 200, weight: 4000 }
  const tickOf = (served: number, guarded: boolean): BacklogTick => ({
    ...BACKLOGGED,
    served,
    guarded,
  })
  /** The rate that is believed after these seconds, and whether one of them was taken for a change. */
  function after(seconds: readonly number[], guarded: boolean) {
    let capacity = TWO_HUNDRED
    let changed = false
    for (const served of seconds) {
      const step = observeCapacity(capacity, tickOf(served, guarded))
      capacity = step.capacity
      changed ||= step.changed
    }
    return { rate: believedRate(capacity)!, changed }
  }

  it('has not lost anything: a second without answers is left aside', ({ expect }) => {
    for (const served of [0, 49])
      expect(after([200, served, 200, 200], false)).toEqual({ rate: 200, changed: false })
  })

  it('has not, either, when the pause falls into two ticks and a cap holds the queue meanwhile', ({
    expect,
  }) => {
    const { changed, rate } = after([200, 90, 110, 200, 200], true)
    expect(changed).toBe(false)
    expect(Math.abs(rate / 200 - 1)).toBeLessThan(0.05)
  })

  it('has lost what it does not give for longer: half of it from the third tick on', ({
    expect,
  }) => {
    expect(after([200, 100, 100], true)).toEqual({ rate: 200, changed: false })
    const { changed, rate } = after([200, ...new Array<number>(12).fill(100)], true)
    expect(changed).toBe(true)
    expect(Math.abs(rate / 100 - 1)).toBeLessThan(0.2)
  })

  it('stands still for two ticks at the most: a tenth is what it can do in the end', ({
    expect,
  }) => {
    expect(after([20, 20], false)).toEqual({ rate: 200, changed: false })
    const { changed, rate } = after(new Array<number>(40).fill(20), false)
    expect(changed).toBe(true)
    expect(Math.abs(rate / 20 - 1)).toBeLessThan(0.2)
  })
})

describe('requests whose clients went away', () => {
  it('were work too: 12 served and 8 gone of 20 are no loss', ({ expect }) => {
    const known: Capacity = {
      ...TWENTY,
      episode: { completions: 100, seconds: 5, changed: false },
    }
    const { capacity, changed } = observeCapacity(known, {
      ...BACKLOGGED,
      served: 12,
      vanished: 8,
    })
    expect(changed).toBe(false)
    expect(believedRate(capacity)).toBe(20)
  })
})

describe('more than was measured', () => {
  it('is believed for no more than twice the doubt: 2 · 20/√400 = 2', ({ expect }) => {
    const known = { ...TWENTY, weight: 400 }
    expect(believedRate(raiseCapacity(known, 0.5, 1))).toBeCloseTo(20.5, 9)
    expect(believedRate(raiseCapacity(known, 50, 1))).toBeCloseTo(22, 9)
  })

  it('is what was carried when queueing answers a probe: 300 in 12 s are 25/s', ({ expect }) => {
    const carried = { completions: 300, seconds: 12 }
    expect(believedRate(takeCarried({ ...TWENTY, carried }))).toBe(25)
    // 300 in 20 s are less than is known.
    const less = { completions: 300, seconds: 20 }
    expect(believedRate(takeCarried({ ...TWENTY, carried: less }))).toBe(20)
  })
})

describe('an announced change by ρ (Bartolini et al. 2009, §5.3)', () => {
  it('scales C, counts it with 400 completions at the most, and remembers what it was', ({
    expect,
  }) => {
    const scaled = scaleCapacity({ ...TWENTY, extra: 1 }, 0.7)
    expect(believedRate(scaled)).toBeCloseTo(14.7, 9)
    expect(scaled).toMatchObject({ weight: 400, best: 20, episode: null })
  })

  it('returns by 1/ρ', ({ expect }) => {
    fc.assert(
      fc.property(fc.double({ min: 0.001, max: 1000, noNaN: true }), (ratio) => {
        const back = scaleCapacity(scaleCapacity({ ...TWENTY, extra: 1 }, ratio), 1 / ratio)
        expect(believedRate(back)).toBeCloseTo(21, 9)
      }),
    )
  })
})

it('stays a capacity whatever it is shown', ({ expect }) => {
  const amount = fc.oneof(fc.constant(0), fc.double({ min: 0, max: 1e6, noNaN: true }))
  const tick: fc.Arbitrary<BacklogTick> = fc.record({
    served: fc.nat(100_000),
    seconds: fc.double({ min: 0.001, max: 1e4, noNaN: true }),
    backlogged: fc.boolean(),
    busy: fc.boolean(),
    fed: fc.boolean(),
    guarded: fc.boolean(),
    vanished: amount,
    variation: amount,
  })
  fc.assert(
    fc.property(fc.array(tick, { maxLength: 40 }), (ticks) => {
      const end = ticks.reduce((known, next) => observeCapacity(known, next).capacity, NO_CAPACITY)
      expect(isCapacity(end)).toBe(true)
    }),
  )
})
