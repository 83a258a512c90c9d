import { describe, it } from 'vitest'
import { BackOff, isOverloaded } from '../../src/lib/back-off.ts'

describe('a pause after an overload', () => {
  it('is twice as long each time in a row, and 32 s at the most', ({ expect }) => {
    const backOff = new BackOff()
    const pauses = [0, 1, 2, 3, 4, 5, 6].map(() => {
      backOff.met(0, 0.999_999)
      return Math.round(backOff.untilMs)
    })
    expect(pauses).toEqual([2000, 4000, 8000, 16_000, 32_000, 32_000, 32_000])
    backOff.over()
    expect(backOff.untilMs).toBeLessThan(0)
    backOff.met(0, 0)
    expect(backOff.untilMs).toBe(1000)
  })

  it('follows only errors that the runtime marks so', ({ expect }) => {
    expect(isOverloaded(Object.assign(new Error('too many'), { overloaded: true }))).toBe(true)
    expect([new Error('lost'), null, undefined, 'overloaded'].some(isOverloaded)).toBe(false)
  })
})
