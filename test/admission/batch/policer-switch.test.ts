import { describe, it } from 'vitest'
import { type PolicerKind, PolicerSwitch } from '../../../src/admission/batch/policer-switch.ts'

/** Evenly spaced requests at a rate for some seconds; returns the last kind of each second. */
function drive(policer: PolicerSwitch, rate: number, fromS: number, toS: number): PolicerKind[] {
  const kinds: PolicerKind[] = []
  for (let second = fromS; second < toS; second++) {
    let kind: PolicerKind = 'batch'
    for (let i = 0; i < rate; i++) kind = policer.arrive(second * 1000 + (i * 1000) / rate)
    kinds.push(kind)
  }
  return kinds
}

describe('batch or threshold (Urgaonkar and Shenoy 2005, §3.3)', () => {
  it('tests batches at 100 requests/s if 100 is the limit', ({ expect }) => {
    const policer = new PolicerSwitch(100, 0)
    expect(new Set(drive(policer, 100, 0, 30))).toEqual(new Set(['batch']))
  })

  it('switches to thresholds within the second in which the limit is exceeded', ({ expect }) => {
    const policer = new PolicerSwitch(100, 0)
    expect(drive(policer, 200, 0, 1)).toEqual(['threshold'])
  })

  it('switches back after ten calm seconds', ({ expect }) => {
    const policer = new PolicerSwitch(100, 0)
    drive(policer, 200, 0, 5)
    const kinds = drive(policer, 50, 5, 20)
    expect(kinds.slice(0, 9)).toEqual(new Array(9).fill('threshold'))
    expect(kinds.slice(11)).toEqual(new Array(4).fill('batch'))
  })

  it('does not switch back while the rate is just below the limit: 90 is not calm', ({
    expect,
  }) => {
    const policer = new PolicerSwitch(100, 0)
    drive(policer, 200, 0, 1)
    expect(new Set(drive(policer, 90, 1, 60))).toEqual(new Set(['threshold']))
  })

  it('restarts the calm period with every burst', ({ expect }) => {
    const policer = new PolicerSwitch(100, 0)
    drive(policer, 200, 0, 1)
    drive(policer, 50, 1, 9)
    drive(policer, 200, 9, 10)
    expect(new Set(drive(policer, 50, 10, 18))).toEqual(new Set(['threshold']))
  })

  it('switches back after the clock was set back by an hour', ({ expect }) => {
    const policer = new PolicerSwitch(100, 4_000_000)
    drive(policer, 200, 4000, 4001)
    expect(drive(policer, 50, 400, 412).at(-1)).toBe('batch')
  })
})
