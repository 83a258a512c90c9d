import { describe, it } from 'vitest'
import {
  ENFORCEMENT_CASES,
  enforcementFigure,
  FAULTS,
  NO_FAULTS,
} from '../../../lab/edge/enforcement.ts'
import { newbornFigure } from '../../../lab/edge/newborn.ts'

describe('what the edge admits against what it was told', () => {
  it.for([
    ['come all', NO_FAULTS],
    ['are lost or late now and then', FAULTS],
  ] as const)(
    'is 20/s to 5 % with 200 isolates, in nine of ten windows of 5 s, where messages %s',
    async ([, faults], { expect }) => {
      const told = ENFORCEMENT_CASES.find(({ name }) => name === '20/s of x10')!
      const { ratio, within } = await enforcementFigure(told, 200, 1, faults)
      expect(Math.abs(ratio - 1)).toBeLessThan(0.05)
      expect(within).toBeGreaterThanOrEqual(0.9)
    },
  )
})

describe('a crowd of 20 times as many that multiplies the isolates by 50', () => {
  // Without leases `fixed` has 3.1. The cap of soc-lqr holds a crowd sooner: where no draw asks for a slot it has 1.6.
  it.for([
    ['fixed', 2],
    ['soc-lqr', 1],
  ] as const)(
    'gets no more too much from %s than the limit allows in %i s',
    async ([learner, mostS], { expect }) => {
      const { excessS, bySecond } = await newbornFigure(learner, 1, 0, 1)
      expect(excessS).toBeLessThanOrEqual(mostS)
      // A gate that lets nobody in has no excess either.
      expect(Math.max(...bySecond)).toBeGreaterThan(0.5)
    },
  )
})
