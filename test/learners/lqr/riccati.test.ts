import fc from 'fast-check'
import { describe, it } from 'vitest'
import {
  closedLoop,
  lqrGain,
  type Matrix2,
  spectralRadius,
  type Vector2,
} from '../../../src/learners/lqr/riccati.ts'

const EQ_7 = {
  a: [
    [0.69321, 0],
    [0, 0.32734],
  ],
  b: [-0.0917293, 0.0066773],
} as const
const EQ_9 = { q: [8.75e-6, 5e-3], r: 7.69e-7 } as const

function relativeErrors(gain: Vector2 | null, expected: Vector2): number[] {
  return expected.map((value, i) => Math.abs(gain![i]! - value) / Math.abs(value))
}

describe('LQR gain (Mathur et al. 2009, §III-B)', () => {
  it('turns the model of eq. 7 and the weights of eq. 9 into [-0.81797, 10.27376]', ({
    expect,
  }) => {
    const [k1, k2] = lqrGain({ ...EQ_7, ...EQ_9 })!
    expect(Math.abs(k1 - -0.81797)).toBeLessThan(1e-5)
    expect(Math.abs(k2 - 10.27376)).toBeLessThan(1e-5)
  })

  it('equals the printed eq. 10 within 5e-4: the paper rounds the weights that it prints', ({
    expect,
  }) => {
    const errors = relativeErrors(lqrGain({ ...EQ_7, ...EQ_9 }), [-0.81782, 10.27185])
    expect(Math.max(...errors)).toBeLessThan(5e-4)
  })

  it('comes ten times closer with r1 = 1/1,300,000, which eq. 9 rounds: 2e-5, its last printed digit', ({
    expect,
  }) => {
    const gain = lqrGain({ ...EQ_7, q: EQ_9.q, r: 1 / 1_300_000 })
    expect(Math.max(...relativeErrors(gain, [-0.81782, 10.27185]))).toBeLessThan(2e-5)
  })

  it('solves one state by hand: a = b = q = r = 1 gives the golden ratio over its successor', ({
    expect,
  }) => {
    // p = 1 + p − p²/(1+p) has p = (1+√5)/2, and k = p/(1+p) = 0.618…
    const a: Matrix2 = [
      [1, 0],
      [0, 0],
    ]
    const [k1, k2] = lqrGain({ a, b: [1, 0], q: [1, 1], r: 1 })!
    expect(k1).toBeCloseTo((Math.sqrt(5) - 1) / 2, 12)
    expect(k2).toBe(0)
  })

  it('has no gain for a growing state that the input does not affect', ({ expect }) => {
    const a: Matrix2 = [
      [1.5, 0],
      [0, 0.5],
    ]
    expect(lqrGain({ a, b: [0, 1], q: [1, 1], r: 1 })).toBeNull()
  })

  it('makes every controllable loop stable', ({ expect }) => {
    const entry = fc.double({ min: -1.5, max: 1.5, noNaN: true })
    const input = fc.double({ min: 0.1, max: 2, noNaN: true })
    fc.assert(
      fc.property(entry, entry, input, input, (a1, a2, b1, b2) => {
        fc.pre(Math.abs(a1 - a2) > 0.05)
        const a: Matrix2 = [
          [a1, 0],
          [0, a2],
        ]
        const gain = lqrGain({ a, b: [b1, b2], q: [1, 1], r: 1 })
        expect(gain).not.toBeNull()
        expect(spectralRadius(closedLoop(a, [b1, b2], gain!))).toBeLessThan(1)
      }),
    )
  })
})

describe('the spectral radius', () => {
  it('is 3 for [[1, 2], [2, 1]] (eigenvalues 3 and −1) and 1 for a rotation', ({ expect }) => {
    expect(
      spectralRadius([
        [1, 2],
        [2, 1],
      ]),
    ).toBe(3)
    expect(
      spectralRadius([
        [0, -1],
        [1, 0],
      ]),
    ).toBe(1)
  })
})
