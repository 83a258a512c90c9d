import { describe, it } from 'vitest'
import { streams } from '../../../lab/engine/random.ts'
import { gainFor } from '../../../src/learners/lqr/law.ts'
import { addRow, EMPTY_FIT, type Fit, modelOf, solve } from '../../../src/learners/lqr/model.ts'
import { LQR_OPTIONS } from '../../../src/learners/lqr/options.ts'
import { resolveOptions } from '../../../src/lib/option-table.ts'

const o = resolveOptions(LQR_OPTIONS)
const forever = { memory: 1, excitation: o.excitation }
/** θ of §III in tokens/s, ms and requests/s. */
const THETA = { rate: 1000, responseMs: 400, goodput: 9.6 }

/** The plant of eq. 7 around θ, driven by an input in tokens/s; noise as a fraction of each state's θ. */
function identify(inputAt: (k: number) => number, noise = 0, steps = 900): [Fit, Fit] {
  const random = streams(7)('noise')
  let [response, goodput] = [400, 9.6]
  let fits: [Fit, Fit] = [EMPTY_FIT, EMPTY_FIT]
  for (let k = 0; k < steps; k++) {
    const u = inputAt(k)
    const nextResponse =
      400 +
      0.69321 * (response - 400) +
      0.0917293 * (u - 1000) +
      400 * noise * (random.next() - 0.5)
    const nextGoodput =
      9.6 + 0.32734 * (goodput - 9.6) + 0.0066773 * (u - 1000) + 9.6 * noise * (random.next() - 0.5)
    fits = [
      addRow(fits[0], { x: response, u, y: nextResponse }, forever),
      addRow(fits[1], { x: goodput, u, y: nextGoodput }, forever),
    ]
    ;[response, goodput] = [nextResponse, nextGoodput]
  }
  return fits
}

/** §III-A: a sine over [50, 1150] tokens/s, 300 intervals a cycle. */
const sine = (k: number) => 600 + 550 * Math.sin((2 * Math.PI * k) / 300)
/** The variation of normal traffic. */
const natural = (k: number) => 900 + 150 * Math.sin(k / 5) + 100 * Math.sin(k / 1.7)

describe('system characterisation (Mathur et al. 2009, §III-A)', () => {
  it('recovers eq. 7 from 9000 s of a sine over [50, 1150] tokens/s', ({ expect }) => {
    const [response, goodput] = identify(sine)
    expect(solve(response, o.excitation)!.a).toBeCloseTo(0.69321, 6)
    expect(solve(response, o.excitation)!.b).toBeCloseTo(0.0917293, 6)
    expect(solve(goodput, o.excitation)!.a).toBeCloseTo(0.32734, 6)
    expect(solve(goodput, o.excitation)!.b).toBeCloseTo(0.0066773, 8)
  })

  it('yields the gain of eq. 10: −0.81797 tokens per ms, 10.27376 per request', ({ expect }) => {
    const model = modelOf(...identify(natural), THETA, o.excitation)!
    const [k1, k2] = gainFor(model, o)!
    // The gain is relative to θ: u/1000 against x1/400 and x2/9.6.
    expect((k1 * 1000) / 400).toBeCloseTo(-0.81797, 4)
    expect((k2 * 1000) / 9.6).toBeCloseTo(10.27376, 3)
  })

  it('recovers it within 10 % from normal traffic, with 10 % noise in the measurements', ({
    expect,
  }) => {
    const model = modelOf(...identify(natural, 0.1), THETA, o.excitation)!
    expect(Math.abs(model.b[0] / -0.22932 - 1)).toBeLessThan(0.1)
    expect(Math.abs(model.b[1] / 0.69555 - 1)).toBeLessThan(0.1)
  })
})

describe('no model is used', () => {
  it('without variation of the input', ({ expect }) => {
    const [response] = identify(() => 1000, 0.1)
    expect(solve(response, o.excitation)).toBeNull()
  })

  it('if lag and input move together, because their effects cannot be separated', ({ expect }) => {
    let fit = EMPTY_FIT
    for (let k = 0; k < 200; k++) {
      const u = natural(k)
      fit = addRow(fit, { x: 0.4 * u, u, y: 0.5 * u }, forever)
    }
    expect(solve(fit, o.excitation)).toBeNull()
  })

  it('with fewer than 20 rows', ({ expect }) => {
    expect(solve(identify(natural, 0, 19)[0], o.excitation)).toBeNull()
    expect(solve(identify(natural, 0, 40)[0], o.excitation)).not.toBeNull()
  })

  it('if the effect of the input does not exceed the noise', ({ expect }) => {
    const random = streams(3)('noise')
    let fit = EMPTY_FIT
    for (let k = 0; k < 200; k++)
      fit = addRow(fit, { x: random.next(), u: natural(k), y: random.next() }, forever)
    expect(solve(fit, o.excitation)).toBeNull()
  })

  it('if its response time falls with load, or grows by itself', ({ expect }) => {
    const [response, goodput] = identify(natural)
    const falling = { ...response, xu: -response.xu, uy: -response.uy }
    expect(modelOf(falling, goodput, THETA, o.excitation)).toBeNull()
    const growing = { ...response, xy: 2 * response.xy, uy: 2 * response.uy, yy: 4 * response.yy }
    expect(modelOf(growing, goodput, THETA, o.excitation)).toBeNull()
  })

  it('if no gain makes it stable', ({ expect }) => {
    const model = {
      a: [
        [1.2, 0],
        [0, 0.3],
      ],
      b: [0, 0.7],
    } as const
    expect(gainFor(model, o)).toBeNull()
  })
})

describe('recursive least squares', () => {
  it('forgets nothing while the input does not change', ({ expect }) => {
    const [fit] = identify(natural)
    expect(addRow(fit, { x: 1, u: fit.u, y: 1 }, { memory: 0.5, excitation: 0.03 })).toBe(fit)
  })

  it('equals the batch solution with memory 1: y = 0.5 x + 2 u + 1 exactly', ({ expect }) => {
    let fit = EMPTY_FIT
    for (let k = 0; k < 60; k++) {
      const x = Math.sin(k)
      const u = 3 + Math.cos(2.7 * k)
      fit = addRow(fit, { x, u, y: 0.5 * x + 2 * u + 1 }, forever)
    }
    expect(solve(fit, 0.03)!.a).toBeCloseTo(0.5, 9)
    expect(solve(fit, 0.03)!.b).toBeCloseTo(2, 9)
  })
})
