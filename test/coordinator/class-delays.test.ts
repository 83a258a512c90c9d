import fc from 'fast-check'
import { describe, it } from 'vitest'
import {
  classDelays,
  type DelayDemand,
  displacementChance,
  longestHoldMs,
} from '../../src/coordinator/class-delays.ts'

const gold = { arrivals: 10, serviceMs: 20, mostMs: 900 }
const silver = { arrivals: 20, serviceMs: 20, mostMs: 900 }
const bronze = { arrivals: 30, serviceMs: 20, mostMs: 900 }
const overload: DelayDemand = { drop: 0.4, places: 5, classes: [gold, silver, bronze] }

describe('the chance to be refused for a lesser one (Cataclysm §3.4, eq. 8 to 13)', () => {
  it('is p(1−p)(1−e^{−λd}) / (e^{d/Nm} − 1) with two classes', ({ expect }) => {
    // 0.4 × 0.6 × (1 − e^{−20 × 0.05}) / (e^{0.05 / (5 × 0.02)} − 1) = 0.24 × 0.63212 / 0.64872
    const two = { ...overload, classes: [gold, silver] }
    expect(displacementChance(two, [0, 50], 0)).toBeCloseTo(0.233_86, 5)
  })

  it('counts a lesser class only where nobody better came meanwhile', ({ expect }) => {
    // Bronze adds 0.24 × e^{−20 × 0.05} × (1 − e^{−30 × 0.1}) / (e^{0.1 / 0.1} − 1) = 0.048825.
    expect(displacementChance(overload, [0, 50, 100], 0)).toBeCloseTo(0.233_86 + 0.048_825, 5)
    expect(displacementChance(overload, [0, 50, 100], 1)).toBeCloseTo(0.048_825, 5)
    expect(displacementChance(overload, [0, 50, 100], 2)).toBe(0)
  })

  it('tends to p(1−p) λ N m as the delay goes to 0: 0.24 × 20 × 5 × 0.02 = 0.48', ({ expect }) => {
    const two = { ...overload, classes: [gold, silver] }
    for (const law of ['exponential', 'deterministic'] as const) {
      expect(displacementChance({ ...two, law }, [0, 0], 0)).toBeCloseTo(0.48, 12)
      expect(displacementChance({ ...two, law }, [0, 1e-4], 0)).toBeCloseTo(0.48, 3)
    }
  })

  it('counts ⌈N m / d⌉ − 1 instants where service takes always the same', ({ expect }) => {
    // 100 ms in service, judged each 30 ms: still there after 30, 60 and 90 ms.
    const two = { ...overload, classes: [gold, silver], law: 'deterministic' as const }
    expect(displacementChance(two, [0, 30], 0)).toBeCloseTo(0.24 * (1 - Math.exp(-0.6)) * 3, 12)
    expect(displacementChance(two, [0, 100], 0)).toBe(0)
  })

  it('falls with every delay', ({ expect }) => {
    const delay = fc.double({ min: 0, max: 500, noNaN: true })
    fc.assert(
      fc.property(delay, delay, delay, fc.constantFrom(1, 2), (d2, d3, more, which) => {
        const longer = [0, d2, d3]
        longer[which]! += more
        const before = displacementChance(overload, [0, d2, d3], 0)
        expect(displacementChance(overload, longer, 0)).toBeLessThanOrEqual(before + 1e-12)
      }),
    )
  })
})

describe('class delays (Cataclysm §3.4)', () => {
  it('vanish when nothing is dropped, and when everything is', ({ expect }) => {
    expect(classDelays({ ...overload, drop: 0 }).delaysMs).toEqual([0, 0, 0])
    expect(classDelays({ ...overload, drop: 1 }).delaysMs).toEqual([0, 0, 0])
    expect(classDelays({ ...overload, drop: Number.NaN }).delaysMs).toEqual([0, 0, 0])
  })

  it('start at 0 for the most important class and double from class to class', ({ expect }) => {
    const { delaysMs, chance } = classDelays(overload)
    expect(delaysMs[0]).toBe(0)
    expect(delaysMs[1]).toBeGreaterThan(0)
    expect(delaysMs[2]).toBe(2 * delaysMs[1]!)
    expect(chance).toBeLessThan(0.05)
  })

  it('are as short as ε = 0.05 allows', ({ expect }) => {
    const { delaysMs } = classDelays(overload)
    const shorter = delaysMs.map((ms) => ms * 0.999)
    expect(displacementChance(overload, shorter, 0)).toBeGreaterThanOrEqual(0.05)
  })

  it('need only outlast a service that takes always the same: 5 × 20 = 100 ms', ({ expect }) => {
    const { delaysMs, chance } = classDelays({ ...overload, law: 'deterministic' })
    expect(delaysMs[1]).toBeCloseTo(100, 3)
    expect(chance).toBeLessThan(0.05)
  })

  it('grow with the wish for certainty', ({ expect }) => {
    const at = (epsilon: number) => classDelays({ ...overload, epsilon }).delaysMs[1]!
    expect(at(0.01)).toBeGreaterThan(at(0.05))
    expect(at(0.05)).toBeGreaterThan(at(0.2))
  })

  it('stop at what a class may be held, though ε be missed: 60 ms for Bronze, so 30 for Silver', ({
    expect,
  }) => {
    const held = { ...overload, classes: [gold, silver, { ...bronze, mostMs: 60 }] }
    const { delaysMs, chance } = classDelays(held)
    expect(delaysMs).toEqual([0, 30, 60])
    expect(chance).toBeGreaterThan(0.05)
  })

  it('have nothing to hold with a single class or with none', ({ expect }) => {
    expect(classDelays({ ...overload, classes: [gold] })).toEqual({ delaysMs: [0], chance: 0 })
    expect(classDelays({ ...overload, classes: [] })).toEqual({ delaysMs: [], chance: 0 })
  })

  it('keep within bounds whatever comes in', ({ expect }) => {
    const wild = fc.oneof(fc.double(), fc.constantFrom(0, -1, Number.NaN, Infinity, 0.5, 50))
    const anyClass = fc.record({ arrivals: wild, serviceMs: wild, mostMs: fc.nat(1000) })
    fc.assert(
      fc.property(wild, wild, fc.array(anyClass, { maxLength: 4 }), (drop, places, classes) => {
        const { delaysMs } = classDelays({ drop, places, classes })
        delaysMs.forEach((ms, i) => {
          expect(ms).toBeGreaterThanOrEqual(0)
          if (i > 0) expect(ms).toBeLessThanOrEqual(classes[i]!.mostMs * (1 + 1e-12))
        })
      }),
    )
  })
})

describe('the longest a request may be held', () => {
  it('is what its own test leaves: 1000 − 100 − (4 + 1) × 50 = 650 ms', ({ expect }) => {
    const load = {
      queueingMs: 100,
      inFlight: 4,
      servers: 3,
      targetMs: 1000,
      longestMs: 0,
      rounding: 0,
    }
    expect(longestHoldMs(load, 50)).toBe(650)
    expect(longestHoldMs(load, 500)).toBe(0)
    expect(longestHoldMs({ ...load, inFlight: Number.NaN }, 50)).toBe(0)
  })
})
