import { describe, it } from 'vitest'
import { LogImport } from '../../../src/coordinator/capacity/import-log.ts'
import { Predictor } from '../../../src/coordinator/capacity/predictor.ts'

const line = (address: string, time: string, browser = 'a browser') =>
  `${address} - - [${time}] "GET / HTTP/1.1" 200 12 "-" "${browser}"`

function imported(unit: 'session' | 'request', lines: readonly string[]) {
  const log = new LogImport({ unit, idleMs: 1_800_000 })
  for (const one of lines) log.add(one)
  return log.result()
}

describe('the arrivals of an access log', () => {
  it('are a peak for the same hour of the next day', ({ expect }) => {
    const minutes = Array.from({ length: 60 }, (_, i) => String(i).padStart(2, '0'))
    const lines = minutes.flatMap((minute) =>
      Array.from({ length: 120 }, (_, i) =>
        line(`10.0.${minute}.${i}`, `10/Oct/2026:13:${minute}:30 +0000`),
      ),
    )
    const { hours, skipped } = imported('session', lines)
    expect(hours).toHaveLength(1)
    expect(skipped).toBe(0)
    const predictor = new Predictor({}, hours)
    // 120 new visitors a minute are 2/s.
    expect(predictor.peak(Date.UTC(2026, 9, 11, 13))! / 2).toBeCloseTo(1, 1)
  })

  it('count a visitor once until it was away for half an hour', ({ expect }) => {
    const times = ['13:00:00', '13:10:00', '13:39:00', '14:20:00']
    const lines = times.map((time) => line('10.0.0.1', `10/Oct/2026:${time} +0000`))
    const arrivals = ({ hours }: ReturnType<typeof imported>) =>
      hours.flatMap(({ rates }) => rates.filter((_, i) => i % 2 === 0 && rates[i]! > 0)).length
    expect(arrivals(imported('session', lines))).toBe(2)
    expect(arrivals(imported('request', lines))).toBe(2)
  })

  it('are placed by their time zone: 13:30 at +0200 is 11:30', ({ expect }) => {
    const { hours } = imported('request', [line('10.0.0.1', '10/Oct/2026:13:30:00 +0200')])
    expect(hours[0]!.hour).toBe(Date.UTC(2026, 9, 10, 11) / 3_600_000)
    const west = imported('request', [line('10.0.0.1', '10/Oct/2026:13:15:00 -0330')])
    expect(west.hours[0]!.hour).toBe(Date.UTC(2026, 9, 10, 16) / 3_600_000)
  })

  it('leave out lines of another form, and do not invent hours in a gap', ({ expect }) => {
    const lines = [
      'nonsense',
      line('10.0.0.1', '10/Oct/2026:13:00:00 +0000'),
      '',
      line('10.0.0.1', '12/Oct/2026:13:00:00 +0000'),
    ]
    const { hours, lines: used, skipped } = imported('request', lines)
    expect([hours.length, used, skipped]).toEqual([2, 2, 1])
  })
})
