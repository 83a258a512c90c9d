import { describe, it } from 'vitest'
import { phaseAt } from '../../../src/admission/queue/event-phase.ts'
import { newTicket } from '../../../src/admission/queue/new-ticket.ts'

const at = (hour: number): number => Date.UTC(2026, 10, 27, hour)
const EVENT = {
  name: 'sale',
  preQueueMs: 3_600_000,
  opensMs: at(10),
  closesMs: at(20),
  reopensMs: at(22),
}

describe('an event', () => {
  it('takes visitors before it opens, is open, closes, and opens again', ({ expect }) => {
    expect(phaseAt([EVENT], at(8))).toBeNull()
    expect(phaseAt([EVENT], at(9))).toEqual({ kind: 'before', opensMs: at(10) })
    expect(phaseAt([EVENT], at(10))).toBeNull()
    expect(phaseAt([EVENT], at(20))).toEqual({ kind: 'closed', reopensMs: at(22) })
    expect(phaseAt([EVENT], at(22))).toBeNull()
  })

  it('gives way to one whose phase began later; of two that began together, the later one holds', ({
    expect,
  }) => {
    const night = { ...EVENT, opensMs: null, closesMs: at(1), reopensMs: at(12) }
    for (const both of [
      [EVENT, night],
      [night, EVENT],
    ])
      expect(phaseAt(both, at(9))).toEqual({ kind: 'before', opensMs: at(10) })
    expect(phaseAt([EVENT, night], at(11))).toEqual({ kind: 'closed', reopensMs: at(12) })
    const other = { ...night, closesMs: at(20), reopensMs: null }
    expect(phaseAt([EVENT, other], at(21))).toEqual({ kind: 'closed', reopensMs: null })
    expect(phaseAt([other, EVENT], at(21))).toEqual({ kind: 'closed', reopensMs: at(22) })
  })

  it('puts all who came early into random order, before all who come later', ({ expect }) => {
    const keyOf = (nowMs: number, coin: number): number =>
      newTicket(
        { id: '', className: '' },
        { order: 'fifo', opensMs: at(10), watermark: 0 },
        nowMs,
        coin,
      ).keyS
    expect(keyOf(at(9), 0.9)).toBeGreaterThan(keyOf(at(9) + 1_800_000, 0.1))
    expect(keyOf(at(9), 0.999)).toBeLessThan(at(10) / 1000)
    expect(keyOf(at(10), 0)).toBeGreaterThanOrEqual(at(10) / 1000)
  })
})
