import { describe, it } from 'vitest'
import { newTicket } from '../../../src/admission/queue/new-ticket.ts'

/** The first of five minutes in which visitors are in random order. */
const START_S = 1_800_000_000

const keyAt = (order: 'fifo' | 'random', second: number, coin: number, watermark = 0): number =>
  newTicket(
    { id: '', className: '' },
    { order, opensMs: null, watermark },
    (START_S + second) * 1000,
    coin,
  ).keyS

describe('the place of a new ticket', () => {
  it('is behind all who came in an earlier second, with the order "fifo"', ({ expect }) => {
    expect(keyAt('fifo', 1, 0)).toBeGreaterThan(keyAt('fifo', 0, 0.999))
  })

  it('does not depend on the time of arrival within five minutes, with the order "random"', ({
    expect,
  }) => {
    for (const coin of [0, 0.25, 0.999])
      expect(keyAt('random', 299, coin)).toBe(keyAt('random', 0, coin))
    expect(keyAt('random', 299, 0.1)).toBeLessThan(keyAt('random', 0, 0.9))
    expect(keyAt('random', 300, 0)).toBeGreaterThan(keyAt('random', 0, 0.999))
  })

  it('is never before those who are let in now: nobody enters without a wait', ({ expect }) => {
    const watermark = START_S + 200
    for (const coin of [0, 0.5, 0.999])
      expect(keyAt('random', 250, coin, watermark)).toBeGreaterThanOrEqual(watermark)
  })
})
