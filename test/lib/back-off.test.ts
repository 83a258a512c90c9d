import { describe, it } from 'vitest'
import { BackOff, isOverloaded } from '../../src/lib/back-off.ts'

describe('a pause after an overload', () => {
  it('is twice as long each time in a row, and 32 s at the most', ({ expect }) => {
    const backOff = new BackOff()
    const pauses = [0, 1, 2, 3, 4, 5, 6].map(() => {
      backOff.met(0, 0.999_999)
      return Math.round(backOff.leftMs(0))
    })
    expect(pauses).toEqual([2000, 4000, 8000, 16_000, 32_000, 32_000, 32_000])
    backOff.over()
    expect(backOff.leftMs(0)).toBe(0)
    backOff.met(0, 0)
    expect(backOff.leftMs(0)).toBe(1000)
    expect(backOff.leftMs(400)).toBe(600)
    expect(backOff.leftMs(1000)).toBe(0)
  })

  it('is over if the clock is set back by an hour', ({ expect }) => {
    const backOff = new BackOff()
    backOff.met(3_600_000, 0.5)
    expect(backOff.leftMs(0)).toBe(0)
  })

  it('follows only errors that the runtime marks so', ({ expect }) => {
    expect(isOverloaded(Object.assign(new Error('too many'), { overloaded: true }))).toBe(true)
    expect([new Error('lost'), null, undefined, 'overloaded'].some(isOverloaded)).toBe(false)
  })
})
