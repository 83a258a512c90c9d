import { describe, it } from 'vitest'
import { instantOf } from '../../src/config/event-time.ts'
import { routeProblems } from '../support/config.ts'

describe('the time of an event', () => {
  it.for([
    ['2026-11-27T10:00:00+01:00', null, '2026-11-27T09:00:00.000Z'],
    ['2026-11-27T10:00Z', null, '2026-11-27T10:00:00.000Z'],
    ['2026-11-27T10:00', 'Europe/Berlin', '2026-11-27T09:00:00.000Z'],
    ['2026-07-01T10:00', 'Europe/Berlin', '2026-07-01T08:00:00.000Z'],
    ['2026-07-01T00:30', 'Asia/Kathmandu', '2026-06-30T18:45:00.000Z'],
    ['2026-03-08T03:00', 'America/New_York', '2026-03-08T07:00:00.000Z'],
    // The clocks go back at 3:00: 2:30 comes twice, and the first one counts.
    ['2026-10-25T02:30', 'Europe/Berlin', '2026-10-25T00:30:00.000Z'],
  ] as const)('%s in %s is %s', ([text, zone, iso], { expect }) => {
    expect(new Date(instantOf(text, zone)!).toISOString()).toBe(iso)
  })

  it.for([
    ['2026-03-29T02:30', 'Europe/Berlin'], // The clocks go forward from 2:00 to 3:00.
    ['2026-02-30T10:00', 'Europe/Berlin'],
    ['2026-11-27T10:00', null],
    ['tomorrow', 'Europe/Berlin'],
  ] as const)('%s in %s does not exist', ([text, zone], { expect }) => {
    expect(instantOf(text, zone)).toBeNull()
  })

  it.for([
    [{ name: 'a', opens: '2026-11-27T10:00' }, 'a time in "opens" that exists'],
    [{ name: 'a' }, '"opens" or "closes"'],
    [
      { name: 'a', opens: '2026-11-27T10:00Z', closes: '2026-11-27T09:00Z' },
      '"closes" after "opens"',
    ],
    [{ name: 'a', closes: '2026-11-27T10:00Z', reopens: '2026-11-27T09:00Z' }, '"reopens" after'],
    [{ name: 'a', opens: '2026-11-27T10:00', zone: 'Berlin' }, 'a time zone of the IANA database'],
  ] as const)('%j is an error', ([event, expected], { expect }) => {
    expect(routeProblems({ waitingRoom: { events: [event] } }).join()).toContain(expected)
  })
})
