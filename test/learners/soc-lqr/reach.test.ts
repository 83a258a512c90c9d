import fc from 'fast-check'
import { describe, it } from 'vitest'
import {
  answered,
  type GrowthGround,
  grown,
  isReach,
  NO_REACH,
  type Reach,
  type ReachEvidence,
  type TryGround,
  tried,
  triedLoad,
} from '../../../src/learners/soc-lqr/reach.ts'

/** Five seconds at the limit of 100/s without a queue. */
const AT_LIMIT: ReachEvidence = { load: 100, seconds: 5, completions: 500, queueing: 0, waitS: 0 }
const PRESSED: GrowthGround = {
  allowed: 100,
  carried: 0,
  watchS: 5,
  step: 1.3,
  isPressed: true,
  ...{ meanS: 0.1, variation: 1 },
}

describe('while the capacity is not known', () => {
  const at100 = { ...NO_REACH, load: 100 }

  it('grows by a step after the load was watched at its limit', ({ expect }) => {
    expect(grown(at100, AT_LIMIT, PRESSED).load).toBeCloseTo(130, 9)
    const half = grown(at100, { ...AT_LIMIT, seconds: 2.5 }, PRESSED)
    expect(half.load).toBe(100)
    expect(grown(half, { ...AT_LIMIT, seconds: 2.5 }, PRESSED).load).toBeCloseTo(130, 9)
  })

  it('does not grow where nobody asks for more, or where the load is far from its limit', ({
    expect,
  }) => {
    expect(grown(at100, AT_LIMIT, { ...PRESSED, isPressed: false }).load).toBe(100)
    const far = { ...AT_LIMIT, load: 30, seconds: 500 }
    expect(grown(at100, far, PRESSED).load).toBe(100)
  })

  it('does not grow while requests queue, and then watches anew', ({ expect }) => {
    const watched = { ...at100, seconds: 4.9 }
    const queueing = grown(watched, { ...AT_LIMIT, queueing: 1 }, PRESSED)
    expect(queueing).toMatchObject({ load: 100, seconds: 0 })
  })

  it('trusts an origin with half more than it carried, pressed or not', ({ expect }) => {
    const ground = { ...PRESSED, carried: 100, isPressed: false }
    expect(grown(NO_REACH, AT_LIMIT, ground).load).toBeCloseTo(150, 9)
  })

  it('grows no further than short waits show to be free: (1 + c²)/(2 wait) at most (Kingman 1962)', ({
    expect,
  }) => {
    const waits = (waitS: number) => grown(at100, { ...AT_LIMIT, waitS }, PRESSED).load
    expect(waits(0.1)).toBeLessThan(100 + 1 / 0.1)
    expect(waits(0.1)).toBeGreaterThan(100)
    expect(waits(0.2)).toBeLessThan(waits(0.1))
    // Few answers show little: chance is no room.
    const few = { ...AT_LIMIT, load: 5, completions: 25 }
    const at5 = { ...NO_REACH, load: 5 }
    expect(grown(at5, few, { ...PRESSED, allowed: 5, step: 10 }).load).toBeLessThan(25)
  })

  it('never shrinks, and grows by no more than a step at a time', ({ expect }) => {
    const evidence = fc.record({
      load: fc.double({ min: 0, max: 500, noNaN: true }),
      seconds: fc.double({ min: 0.1, max: 20, noNaN: true }),
      completions: fc.nat(1000),
      queueing: fc.double({ min: 0, max: 2, noNaN: true }),
      waitS: fc.double({ min: 0, max: 2, noNaN: true }),
    })
    fc.assert(
      fc.property(fc.array(fc.tuple(evidence, fc.boolean()), { maxLength: 30 }), (all) => {
        let reach: Reach = at100
        for (const [seen, isPressed] of all) {
          const next = grown(reach, seen, { ...PRESSED, allowed: reach.load, isPressed })
          expect(next.load).toBeGreaterThanOrEqual(reach.load)
          expect(next.load).toBeLessThanOrEqual(reach.load * PRESSED.step * (1 + 1e-12))
          reach = next
        }
      }),
    )
  })
})

/** The capacity is known, and its limit is close to it. Loads are in units of it. */
const CLOSE: TryGround = {
  ...{ limit: 0.95, windowS: 60, patienceS: 20, confirmS: 3, isLate: false },
  // Behind a cap nothing waits, so short waits are no sign.
  ...{ hasCap: true, capacity: 100, meanS: 0.1, variation: 1 },
}
const FULL: ReachEvidence = { load: 1, seconds: 5, completions: 500, queueing: 0, waitS: 0 }

/** Seconds until more than the capacity is tried; infinite: not within an hour. */
function untilTried(reach: Reach, evidence = FULL, ground = CLOSE): number {
  let so = reach
  for (let seconds = evidence.seconds; seconds <= 3600; seconds += evidence.seconds) {
    so = tried(so, evidence, ground).reach
    if (so.stage > 0) return seconds
  }
  return Number.POSITIVE_INFINITY
}

describe('once the capacity is known it may have grown', () => {
  it('is not tried before patience has run out', ({ expect }) => {
    expect(triedLoad(NO_REACH)).toBe(0)
    expect(untilTried(NO_REACH)).toBe(20)
    expect(untilTried(NO_REACH, FULL, { ...CLOSE, patienceS: 80 })).toBe(80)
  })

  it('is not tried where requests queue, where few come, or far below the capacity', ({
    expect,
  }) => {
    const never = Number.POSITIVE_INFINITY
    expect(untilTried(NO_REACH, { ...FULL, queueing: 0.5 })).toBe(never)
    expect(untilTried(NO_REACH, { ...FULL, load: 0.5 })).toBe(never)
    expect(untilTried(NO_REACH, FULL, { ...CLOSE, limit: 0.6 })).toBe(never)
  })

  it('is tried without patience where requests wait far less than Kingman’s law has it', ({
    expect,
  }) => {
    const open = { ...CLOSE, hasCap: false }
    expect(untilTried(NO_REACH, FULL, open)).toBeLessThan(untilTried(NO_REACH))
    // At a load of 0.95 of 100/s the mean wait in front of one server is 1/(100 − 95) s.
    const asExpected = { ...FULL, load: 0.95, waitS: 1 / 5 }
    expect(untilTried(NO_REACH, asExpected, open)).toBe(untilTried(NO_REACH, asExpected))
    // After a failure only patience helps.
    const failed = { ...NO_REACH, failed: 1.9 }
    expect(untilTried(failed, FULL, open)).toBe(untilTried(failed))
  })

  it('confirms a larger step by fewer completions: more of a load that is too high is left', ({
    expect,
  }) => {
    const confirmedAfter = (stage: number): number => {
      let reach: Reach = { ...NO_REACH, stage }
      for (let completions = 10; ; completions += 10) {
        const seen = { ...FULL, load: triedLoad({ ...NO_REACH, stage }), completions: 10 }
        const step = tried(reach, { ...seen, seconds: 0.5 }, CLOSE)
        if (step.isConfirmed) return completions
        reach = step.reach
      }
    }
    expect(confirmedAfter(1)).toBeGreaterThan(confirmedAfter(2))
    expect(confirmedAfter(2)).toBeGreaterThan(confirmedAfter(3))
  })

  it('is tried step by step, each beyond the last, as long as the load comes up to it quietly', ({
    expect,
  }) => {
    let reach: Reach = NO_REACH
    const loads: number[] = []
    for (let n = 0; n < 60; n++) {
      const before = reach.stage
      const seen = { ...FULL, load: Math.max(1, triedLoad(reach)) }
      const { reach: next, isConfirmed } = tried(reach, seen, CLOSE)
      // What was tried is confirmed when it goes on from there, or ends there.
      expect(isConfirmed).toBe(before > 0 && next.stage !== before)
      reach = next
      if (reach.stage > before) loads.push(triedLoad(reach))
      if (before > 0 && reach.stage === 0) break
    }
    expect(loads.length).toBeGreaterThan(1)
    expect(loads[0]).toBeGreaterThan(1)
    expect(loads).toEqual([...new Set(loads)].sort((a, b) => a - b))
  })

  it('is tried as far at once as short waits show to be free, and goes on from what was right', ({
    expect,
  }) => {
    const open = { ...CLOSE, hasCap: false }
    const ready: Reach = { ...NO_REACH, seconds: 60, quiet: 2000 }
    const first = (waitS: number) => tried({ ...ready, waitedS: 2000 * waitS }, FULL, open).reach
    // Half of what one server's law has: 0.5/wait, in units of C = 100/s.
    expect(triedLoad(first(0.08))).toBe(1.05)
    expect(triedLoad(first(0.015))).toBe(1.2)
    expect(triedLoad(first(0.001))).toBe(1.5)
    const right = tried({ ...ready, stage: 2 }, { ...FULL, load: 1.2 }, open)
    expect(right.isConfirmed).toBe(true)
    expect(right.reach.stage).toBeGreaterThan(0)
    const full = { ...ready, stage: 2, waitedS: 2000 * 0.08 }
    expect(tried(full, { ...FULL, load: 1.2 }, open).reach.stage).toBe(0)
  })

  it('forgives a failure within a window, however much is answered', ({ expect }) => {
    const busy = { ...FULL, load: 0.1, seconds: 6, completions: 1e6 }
    expect(tried({ ...NO_REACH, failed: 2 }, busy, CLOSE).reach.failed).toBeCloseTo(1.9, 9)
  })

  it('is given up where nobody asks for more any longer: a try must not meet the next crowd', ({
    expect,
  }) => {
    const { reach, isConfirmed } = tried({ ...NO_REACH, stage: 2 }, { ...FULL, load: 0.3 }, CLOSE)
    expect(reach).toMatchObject({ stage: 0, failed: 0 })
    expect(isConfirmed).toBe(false)
  })

  it('ends without a failure where something else holds the load back', ({ expect }) => {
    let reach: Reach = { ...NO_REACH, stage: 3 }
    for (let n = 0; n < 60 && reach.stage > 0; n++) reach = tried(reach, FULL, CLOSE).reach
    expect(reach).toMatchObject({ stage: 0, failed: 0 })
  })

  it('fails where too much is late, even if nothing seems to wait', ({ expect }) => {
    const { reach } = tried({ ...NO_REACH, stage: 1 }, FULL, { ...CLOSE, isLate: true })
    expect(reach).toMatchObject({ stage: 0, failed: 1 })
  })

  it('ends when queueing answers, and then waits twice as long', ({ expect }) => {
    const unforgiving = { ...CLOSE, windowS: 1e9 }
    const once = answered({ ...NO_REACH, stage: 1 })
    expect(once).toMatchObject({ stage: 0, failed: 1 })
    const waits = (reach: Reach) => untilTried(reach, FULL, unforgiving)
    expect(waits(once)).toBe(2 * waits(NO_REACH))
    expect(waits(answered({ ...once, stage: 1 }))).toBe(4 * waits(NO_REACH))
  })

  it('is tried again within the hour, however often it failed: failures are forgiven meanwhile', ({
    expect,
  }) => {
    let reach: Reach = NO_REACH
    let sinceS = 0
    for (let seconds = 0; seconds < 24 * 3600; seconds += FULL.seconds) {
      reach = tried(reach, FULL, CLOSE).reach
      sinceS += FULL.seconds
      if (reach.stage > 0) {
        reach = answered(reach)
        sinceS = 0
      }
      expect(sinceS).toBeLessThan(3600)
    }
  })

  it('counts no failure where nothing was tried', ({ expect }) => {
    expect(answered(NO_REACH).failed).toBe(0)
    expect(tried(NO_REACH, { ...FULL, queueing: 5 }, CLOSE).reach.failed).toBe(0)
  })

  it('stays within its stages, whatever it is shown', ({ expect }) => {
    const evidence = fc.record({
      load: fc.double({ min: 0, max: 3, noNaN: true }),
      seconds: fc.double({ min: 0.1, max: 1000, noNaN: true }),
      completions: fc.nat(10_000),
      queueing: fc.double({ min: 0, max: 5, noNaN: true }),
      waitS: fc.double({ min: 0, max: 5, noNaN: true }),
    })
    fc.assert(
      fc.property(fc.array(evidence, { maxLength: 40 }), (all) => {
        let reach: Reach = NO_REACH
        for (const seen of all) {
          reach = tried(reach, seen, CLOSE).reach
          expect(isReach(reach)).toBe(true)
        }
      }),
    )
    expect(isReach({ ...NO_REACH, stage: 99 })).toBe(false)
  })
})
