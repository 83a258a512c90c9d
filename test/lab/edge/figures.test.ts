import { describe, it } from 'vitest'
import { ENFORCEMENT_CASES, enforcementFigure } from '../../../lab/edge/enforcement.ts'
import { newbornFigure } from '../../../lab/edge/newborn.ts'

describe('what the edge admits against what it was told', () => {
  it('is 20/s to 5 % with 200 isolates, in nine of ten windows of 5 s, while ten times as many ask', async ({
    expect,
  }) => {
    const told = ENFORCEMENT_CASES.find(({ name }) => name === '20/s of x10')!
    const { ratio, within } = await enforcementFigure(told, 200, 1)
    expect(Math.abs(ratio - 1)).toBeLessThan(0.05)
    expect(within).toBeGreaterThanOrEqual(0.9)
  })
})

describe('a crowd of 20 times as many that multiplies the isolates by 50', () => {
  it('gets at most two seconds’ worth of the capacity too much from soc-lqr', async ({
    expect,
  }) => {
    const { excessS, bySecond } = await newbornFigure('soc-lqr', 1, 0, 1)
    expect(excessS).toBeLessThanOrEqual(2)
    // A gate that lets nobody in has no excess either.
    expect(Math.max(...bySecond)).toBeGreaterThan(0.5)
  })
})
