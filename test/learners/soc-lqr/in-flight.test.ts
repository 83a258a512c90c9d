import fc from 'fast-check'
import { describe, it } from 'vitest'
import {
  type CapGround,
  decideCap,
  type InFlight,
  isHeld,
  NO_CAP,
  observeCap,
  scaleCaps,
  trimCap,
} from '../../../src/learners/soc-lqr/in-flight.ts'

/** An API without sessions: 200/s, 40 ms, p95 within 200 ms; without a queue 0.0175 take over 162 ms. */
const PLANT_R: CapGround = {
  rate: 200,
  known: true,
  meanS: 0.04,
  slackS: 0.08,
  targetS: 0.2,
  tailS: -0.04 * Math.log(0.35 * 0.05),
  least: 16,
}

const capOf = (inFlight: InFlight) => inFlight.caps[0]

describe('the cap on requests in flight', () => {
  it('is C · min(S0 + SLA − G0⁻¹(e*), SLA/2) = 200 · (0.04 + 0.2 − 0.1618) = 15.6: 16', ({
    expect,
  }) => {
    expect(capOf(decideCap(NO_CAP, PLANT_R))).toBe(16)
  })

  it('is half the target’s worth at the most: 1000 · 0.06 = 60 where service hardly varies', ({
    expect,
  }) => {
    const large = { ...PLANT_R, rate: 1000, tailS: 0.044, targetS: 0.12 }
    expect(capOf(decideCap(NO_CAP, large))).toBe(60)
  })

  it('is no larger than the busy servers need to be kept busy, however loose the target is', ({
    expect,
  }) => {
    for (const servers of [1, 4, 16, 64, 256]) {
      const loose = { ...PLANT_R, rate: servers / 0.04, targetS: 60, tailS: 0.2 }
      const cap = capOf(decideCap(NO_CAP, loose))!
      expect(cap).toBeGreaterThan(servers)
      expect(cap).toBeLessThan(servers + 4 * Math.sqrt(servers) + 2)
    }
  })

  it('grows beyond that when nothing is late, and shrinks to the busy servers, C S0 = 8, when much is', ({
    expect,
  }) => {
    const loose = { ...PLANT_R, targetS: 60, tailS: 0.2 }
    const usual = capOf(decideCap(NO_CAP, loose))!
    expect(capOf(decideCap({ ...NO_CAP, trim: 1.6 }, loose))).toBeGreaterThan(usual)
    expect(capOf(decideCap({ ...NO_CAP, trim: 0.2 }, PLANT_R))).toBe(8)
  })

  it('shrinks below them where S0 is at its bound: only idle servers show how slow the service is', ({
    expect,
  }) => {
    const bounded = { ...PLANT_R, meanS: 0.1, tailS: 0.3 }
    expect(capOf(decideCap({ ...NO_CAP, trim: 0.2 }, bounded))).toBeLessThan(20)
  })

  it('keeps the servers busy where the target is out of reach: 1.05 C S0, 200 · 0.3 · 1.05 = 63', ({
    expect,
  }) => {
    expect(capOf(decideCap(NO_CAP, { ...PLANT_R, meanS: 0.3, tailS: 0.9 }))).toBe(63)
  })

  it('is 16 before anything is known, and what the load allowed needs when that is more', ({
    expect,
  }) => {
    const unknown = { ...PLANT_R, known: false }
    expect(capOf(decideCap(NO_CAP, { ...unknown, rate: 100 }))).toBe(16)
    // 500 (0.04 + 0.08/2)
    expect(capOf(decideCap(NO_CAP, { ...unknown, rate: 500 }))).toBe(40)
  })

  it('is 1 at the least: where two at once are late, only one is served', ({ expect }) => {
    expect(capOf(decideCap(NO_CAP, { ...PLANT_R, rate: 0.1 }))).toBe(1)
  })

  it('scales by ρ and returns by 1/ρ', ({ expect }) => {
    const decided = decideCap(NO_CAP, PLANT_R)
    const scaled = scaleCaps(decided, 0.5)
    expect(capOf(scaled)).toBe(8)
    expect(scaleCaps(scaled, 2)).toEqual(decided)
  })
})

describe('trimmed by the share over the target', () => {
  const evidence = { spent: 0.35, aim: 0.35, queueing: 1, part: 0.3 }

  it('stays where it aims, grows by e^0.1 in 0.3 of the loop’s time when nothing is late', ({
    expect,
  }) => {
    expect(trimCap(NO_CAP, evidence).trim).toBe(1)
    expect(trimCap(NO_CAP, { ...evidence, spent: 0 }).trim).toBeCloseTo(Math.exp(0.1), 12)
  })

  it('shrinks three times as fast at the most: by e^0.3 where all is late', ({ expect }) => {
    expect(trimCap(NO_CAP, { ...evidence, spent: 20 }).trim).toBeCloseTo(Math.exp(-0.3), 12)
  })

  it('does not shrink where nothing waits: fewer in flight make nothing faster', ({ expect }) => {
    expect(trimCap(NO_CAP, { ...evidence, spent: 20, queueing: 0.05 }).trim).toBeGreaterThan(1)
  })

  it('stays within 0.2 and 1.6', ({ expect }) => {
    const of = (spent: number) => {
      let cap = NO_CAP
      for (let n = 0; n < 100; n++) cap = trimCap(cap, { ...evidence, spent })
      return cap.trim
    }
    expect([of(20), of(0)]).toEqual([0.2, 1.6])
  })
})

describe('is the cap held? Who enforces rates only lets more in', () => {
  const capped: InFlight = { ...NO_CAP, caps: [16, 16, 16] }

  it('is believed at first, and up to 1.3 · 16 + 5 = 25.8 in flight', ({ expect }) => {
    const busy = { before: 25, after: 25, admitted: 200, served: 200 }
    expect(isHeld(observeCap(capped, busy))).toBe(true)
    expect(isHeld(observeCap(capped, { ...busy, before: 27, after: 27 }))).toBe(false)
  })

  it('is not doubted while a backlog drains: above the cap, and nobody let in', ({ expect }) => {
    const draining = { before: 90, after: 60, admitted: 10, served: 200 }
    expect(isHeld(observeCap(capped, draining))).toBe(true)
  })

  it('is not judged by a cap that was decided once: it may not be in force yet', ({ expect }) => {
    const busy = { before: 90, after: 90, admitted: 200, served: 200 }
    expect(isHeld(observeCap({ ...NO_CAP, caps: [16] }, busy))).toBe(true)
  })

  it('is believed again after half of 500 · 4 ticks, and after 500 · 16 when broken twice', ({
    expect,
  }) => {
    const calm = { before: 5, after: 5, admitted: 100, served: 100 }
    const ticks = (broken: number) => {
      let cap: InFlight = { ...capped, held: 0, broken }
      let n = 0
      for (; !isHeld(cap); n++) cap = observeCap(cap, calm)
      return n
    }
    expect(Math.abs(ticks(1) - 1000)).toBeLessThanOrEqual(1)
    expect(Math.abs(ticks(2) - 4000)).toBeLessThanOrEqual(1)
  })
})

it('is a whole number from 1 up, for any ground', ({ expect }) => {
  const seconds = fc.double({ min: 1e-3, max: 100, noNaN: true })
  const ground: fc.Arbitrary<CapGround> = fc.record({
    rate: fc.double({ min: 0, max: 1e5, noNaN: true }),
    known: fc.boolean(),
    meanS: seconds,
    slackS: seconds,
    targetS: seconds,
    tailS: seconds,
    least: fc.constant(16),
  })
  fc.assert(
    fc.property(ground, fc.double({ min: 0.2, max: 1.6, noNaN: true }), (given, trim) => {
      const cap = capOf(decideCap({ ...NO_CAP, trim }, given))!
      expect(Number.isInteger(cap)).toBe(true)
      expect(cap).toBeGreaterThanOrEqual(1)
    }),
  )
})
