import { describe, it } from 'vitest'
import { createLearner, LEARNERS } from '../../src/learners/registry.ts'
import type { Option } from '../../src/lib/option-table.ts'

function defaultsOf(name: 'aimd' | 'tbac' | 'pac' | 'lqr' | 'soc' | 'fixed') {
  const entries = Object.entries<Option>(LEARNERS[name].options)
  return Object.fromEntries(entries.map(([option, { default: value }]) => [option, value]))
}

describe("defaults, each against its paper's table", () => {
  it('aimd: Welsh and Culler 2003, Fig. 4 and §3.3, and our own', ({ expect }) => {
    expect(defaultsOf('aimd')).toEqual({
      // Fig. 4
      samples: 100, // nreq
      timeoutMs: 1000, // timeout
      smoothing: 0.7, // α
      fastBelow: -0.5, // err_i
      slowAbove: 0, // err_d
      increase: 2, // adj_i
      decrease: 1.2, // adj_d
      balance: -0.1, // c_i
      min: 0.05, // rate_min
      max: 5000, // rate_max
      // §3.3
      decreaseLower: 10, // adjlo_d
      patience: 20, // lc_thresh
      cutAtOnce: false,
      // the released code
      start: 10,
      // ours
      percentile: 0,
      relative: true,
      headroom: 2,
      multiclass: false,
    })
  })

  it('tbac: Bartolini et al. 2009, §7 and §7.1.1', ({ expect }) => {
    expect(defaultsOf('tbac')).toEqual({ intervalMs: 10_000, threshold: 1 })
  })

  it('pac: Bartolini et al. 2009, §7 (3 s of 5 s) and §7.1.1', ({ expect }) => {
    expect(defaultsOf('pac')).toEqual({ intervalMs: 10_000, low: 3 / 5, high: 1 })
  })

  it('lqr: Mathur et al. 2009, §III and §IV, and our own', ({ expect }) => {
    expect(defaultsOf('lqr')).toEqual({
      intervalMs: 10_000, // TuningInterval
      smoothResponse: 0.5, // α₁
      smoothGoodput: 0.4, // α₂
      // 7 : 1 : 1
      weightResponse: 7,
      weightGoodput: 1,
      weightRate: 1,
      // [50, 1150] of 1000 tokens/s
      floor: 50 / 1000,
      ceiling: 1150 / 1000,
      cycleMs: 3_000_000,
      excite: false,
      // ours
      rate: 0,
      responseMs: 0,
      goodput: 0,
      growth: 1.25,
      forget: 0.02,
      memory: 0.98,
      excitation: 0.03,
    })
  })

  it('soc: Bartolini et al. 2009, §4.1 and §7.1.1, and our own', ({ expect }) => {
    expect(defaultsOf('soc')).toEqual({
      iterationMs: 60_000, // T_AC
      arrivals: 0.5, // α
      // ours
      q: 3,
      slice: 0.1, // l_λ
      tolerance: 0.25, // t_err
      benchMs: 0,
      worst: 4,
      memory: 30,
      fade: 0.002,
      headroom: 1.5,
      floor: 0.05,
    })
  })

  it('fixed: no limit until one is set', ({ expect }) => {
    expect(defaultsOf('fixed')).toEqual({ limit: 0, inFlight: 0 })
  })
})

describe('every option', () => {
  const options = Object.entries(LEARNERS).flatMap(([learner, { options: table }]) =>
    Object.entries<Option>(table).map(([name, option]) => ({ learner, name, option })),
  )

  it.for(options)(
    '$learner $name has a default in its range, a text and a source',
    ({ option }, { expect }) => {
      expect(option.text).toMatch(/\.$/)
      expect(option.source.length).toBeGreaterThan(3)
      if (option.kind !== 'number') return
      const { min = -Infinity, max = Infinity, above = -Infinity, below = Infinity } = option
      expect(option.default).toBeGreaterThanOrEqual(min)
      expect(option.default).toBeLessThanOrEqual(max)
      expect(option.default).toBeGreaterThan(above)
      expect(option.default).toBeLessThan(below)
    },
  )

  it('replaces the default if given: fixed at 12/s with 30 in flight', ({ expect }) => {
    const { learner } = createLearner({ name: 'fixed', options: { limit: 12, inFlight: 30 } })
    expect(learner.update({} as never)).toEqual({ limit: 12, inFlightCap: 30, reason: 'invalid' })
  })
})
