import { describe, it } from 'vitest'
import {
  boundedStep,
  fixedStep,
  type ObservedLoad,
  type ReactorOptions,
  rateToPlan,
  react,
} from '../../../src/coordinator/capacity/reactor.ts'

const OPTIONS: ReactorOptions = {
  everyS: 300,
  above: 1.2,
  refused: 0.05,
  below: 0.5,
  step: 'model',
  maxStep: 4,
  pauseS: 120,
}
const NOW = 10_000_000
const CALM: ObservedLoad = {
  nowMs: NOW,
  rate: 100,
  plannedRate: 100,
  refused: 0,
  comparedAtMs: NOW - 300_000,
  changedAtMs: null,
}
const after = (changes: Partial<ObservedLoad>) => react({ ...CALM, ...changes }, OPTIONS)

describe('the reactor (Urgaonkar et al. 2008, §5.2)', () => {
  it('does nothing while the observed rate is near the planned one', ({ expect }) => {
    expect(after({})).toBe('steady')
    expect(after({ rate: 120 })).toBe('steady')
    expect(after({ rate: 50 })).toBe('steady')
  })

  it('asks for more above τ_1, and gives back below τ_low', ({ expect }) => {
    expect(after({ rate: 121 })).toBe('observed')
    expect(after({ rate: 49 })).toBe('low')
  })

  it('compares once in its period', ({ expect }) => {
    expect(after({ rate: 500, comparedAtMs: NOW - 299_000 })).toBe('none')
    expect(after({ rate: 500, comparedAtMs: null })).toBe('observed')
  })

  it('acts at once when more than τ_2 are refused', ({ expect }) => {
    expect(after({ refused: 0.06, comparedAtMs: NOW })).toBe('refused')
    expect(after({ refused: 0.05, comparedAtMs: NOW })).toBe('none')
  })

  it('waits δ between two changes', ({ expect }) => {
    expect(after({ refused: 0.5, changedAtMs: NOW - 119_000 })).toBe('wait')
    expect(after({ refused: 0.5, changedAtMs: NOW - 120_000 })).toBe('refused')
  })

  it('plans for the observed rate when nothing is planned yet', ({ expect }) => {
    expect(after({ plannedRate: null })).toBe('observed')
  })

  it('does not oscillate: after giving back, the same rate asks for nothing', ({ expect }) => {
    const planned = rateToPlan('low', 40, OPTIONS)
    expect(planned).toBe(48)
    expect(after({ rate: 40, plannedRate: planned })).toBe('steady')
    expect(rateToPlan('observed', 40, OPTIONS)).toBe(40)
  })

  it('changes at most Δ servers at once', ({ expect }) => {
    expect(boundedStep(3, 20, OPTIONS)).toBe(7)
    expect(boundedStep(20, 3, OPTIONS)).toBe(16)
    expect(boundedStep(3, 4, OPTIONS)).toBe(4)
  })

  it('can step by a fixed part instead: 10 %, at least one server', ({ expect }) => {
    expect(fixedStep(3, 0.1, true)).toBe(4)
    expect(fixedStep(40, 0.1, true)).toBe(44)
    expect(fixedStep(40, 0.1, false)).toBe(36)
    expect(fixedStep(1, 0.1, false)).toBe(1)
  })
})
