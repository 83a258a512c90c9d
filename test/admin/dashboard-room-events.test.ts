import { describe, it } from 'vitest'
import { phaseText, type RoomEvent } from '../../dashboard/room-events.ts'

const at = (hour: number, minute = 0): number => Date.UTC(2026, 10, 27, hour, minute)
const SALE: RoomEvent = {
  ...{ name: 'sale', source: 'config', preQueueMs: 900_000 },
  ...{ opensMs: at(10), closesMs: at(20), reopensMs: at(22) },
}
const NIGHT: RoomEvent = {
  ...{ name: 'night', source: 'operator', preQueueMs: 0 },
  ...{ opensMs: null, closesMs: at(1), reopensMs: null },
}

describe('an event on the dashboard', () => {
  it.for([
    [at(8, 45), 'planned, waiting page in 60 min'],
    [at(9, 50), 'waiting page, opens in 10 min'],
    [at(10), 'open, closes in 10 h'],
    [at(20), 'closed, opens in 2 h'],
    [at(22), 'over'],
  ] as const)('has its phase now, at %d: %s', ([nowMs, text], { expect }) => {
    expect(phaseText(SALE, [SALE], nowMs)).toBe(text)
  })

  it('may have no end: it stays open, or closed', ({ expect }) => {
    const opening = { ...SALE, closesMs: null, reopensMs: null }
    expect(phaseText(opening, [opening], at(23))).toBe('open')
    expect(phaseText(NIGHT, [NIGHT], at(23))).toBe('closed')
  })

  it('says that another one holds, where two overlap', ({ expect }) => {
    const both = [SALE, NIGHT]
    expect(phaseText(SALE, both, at(9, 50))).toBe('waiting page, opens in 10 min')
    expect(phaseText(NIGHT, both, at(9, 50))).toBe('closed (another event holds)')
    expect(phaseText(NIGHT, both, at(9))).toBe('closed')
  })
})
