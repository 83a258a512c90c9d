import fc from 'fast-check'
import { describe, it } from 'vitest'
import { type GainTimes, gainFor } from '../../../src/learners/soc-lqr/steer.ts'

/** Q = diag(1, 0.01), R = 0.1: the same everywhere, as the states have no unit. */
const WEIGHTS = { weightLoad: 1, weightWait: 0.01, weightRate: 0.1 }
const usual = { lagS: 120, slackS: 2, tickS: 1 }
const gainAt = (times: GainTimes) => gainFor(times, WEIGHTS)

/**
 * On paper: with a = e^(−dt/D), b = 1 − a, c = dt/W the spectral factor of R|(z−a)(z−1)|² + b²(q₁|z−1|² + q₂c²)
 * is (q₂/kω²)|φ|², φ the polynomial of the closed loop. Compared at z = 1, at z = −1 and in z² it leaves a
 * quadratic equation for kω, whose lesser root is the stable one, and kν by φ(0) = R a kω²/q₂.
 */
function onPaper({ lagS, slackS, tickS }: GainTimes): { load: number; wait: number } {
  const a = Math.exp(-tickS / lagS)
  const b = 1 - a
  const c = tickS / slackS
  const q2 = 0.01
  const root = Math.sqrt(4 * 0.1 * (1 + a) ** 2 + b ** 2 * (4 + q2 * c ** 2))
  const middle = b * c + root / Math.sqrt(q2)
  const wait = 4 / (middle + Math.sqrt(middle ** 2 - (1.6 * a) / q2))
  return { wait, load: (a + b * c * wait - (0.1 * a * wait ** 2) / q2) / b }
}

const anyTimes = fc
  .record({
    lagS: fc.double({ min: 0.1, max: 3600, noNaN: true }),
    slackS: fc.double({ min: 0.01, max: 60, noNaN: true }),
    tickS: fc.double({ min: 0.2, max: 60, noNaN: true }),
  })
  .filter(({ lagS, tickS }) => tickS / lagS > 1e-4)

describe('the gain from measured times (Mathur et al. 2009, §III-B)', () => {
  it('becomes kω = √(q₂/R) = 0.316, kν = √(1 + q₁/R + 2 (D/W) kω) − 1 = 6.00 as ticks get short', ({
    expect,
  }) => {
    // 2 · 60 · 0.31623 = 37.947, and √48.947 = 6.9962
    const { load, wait } = gainAt({ ...usual, tickS: 0.1 })
    expect(Math.abs(wait / 0.31623 - 1)).toBeLessThan(0.003)
    expect(Math.abs(load / 5.9962 - 1)).toBeLessThan(0.003)
  })

  it('only asks how long a tick is in terms of D and of W: all times tenfold give the same', ({
    expect,
  }) => {
    const tenfold = gainAt({ lagS: 1200, slackS: 20, tickS: 10 })
    expect(tenfold.load).toBeCloseTo(gainAt(usual).load, 9)
    expect(tenfold.wait).toBeCloseTo(gainAt(usual).wait, 9)
  })

  it('solves the Riccati equation at all times: it is the one worked out on paper', ({
    expect,
  }) => {
    fc.assert(
      fc.property(anyTimes, (times) => {
        const { load, wait } = gainAt(times)
        const paper = onPaper(times)
        expect(Math.abs(load - paper.load)).toBeLessThan(1e-4 * Math.max(1, paper.load))
        expect(Math.abs(wait / paper.wait - 1)).toBeLessThan(1e-4)
      }),
      { numRuns: 300 },
    )
  })

  it('closes the loop stably at all times, by the conditions of Jury', ({ expect }) => {
    fc.assert(
      fc.property(anyTimes, (times) => {
        const { load, wait } = gainAt(times)
        const a = Math.exp(-times.tickS / times.lagS)
        const b = 1 - a
        // z² − trace z + determinant has its roots within the unit circle.
        const trace = 1 + a - b * load
        const determinant = a - b * load + ((b * times.tickS) / times.slackS) * wait
        expect(Math.abs(determinant)).toBeLessThan(1)
        expect(Math.abs(trace)).toBeLessThan(1 + determinant)
      }),
      { numRuns: 300 },
    )
  })
})

describe('what the gain asks for', () => {
  it('pays a wait back sooner if waiting costs more', ({ expect }) => {
    const heavier = gainFor(usual, { ...WEIGHTS, weightWait: 0.1 })
    expect(heavier.wait).toBeGreaterThan(2 * gainAt(usual).wait)
  })

  it('corrects nothing where the equation has no solution: times of absurd length', ({
    expect,
  }) => {
    expect(gainAt({ ...usual, slackS: 1e-300 })).toEqual({ load: 0, wait: 0 })
  })
})
