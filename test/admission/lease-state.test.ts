import { describe, it } from 'vitest'
import { LeaseState } from '../../src/admission/lease-state.ts'

describe('a lease', () => {
  it('gives cheap and costly classes equal chances: both are admitted while the cheapest is', ({
    expect,
  }) => {
    const lease = { load: 1, forMs: 2000, holds: 'all' } as const
    const state = new LeaseState()
    const admits = (...costs: number[]): boolean[] => {
      state.set(lease, 0.4, 0)
      return costs.map((cost) => state.take(cost))
    }
    expect(admits(0.4, 0.4, 0.4)).toEqual([true, true, false])
    expect(admits(0.4, 3, 0.4)).toEqual([true, true, false])
    expect(admits(3, 0.4, 3)).toEqual([true, false, false])
  })
})
