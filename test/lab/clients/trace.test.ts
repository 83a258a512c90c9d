import { describe, it } from 'vitest'
import { accessLog, rateTrace, visitLog } from '../../../lab/clients/trace.ts'

describe('a rate trace', () => {
  it('is read from CSV of time and rate, with or without a heading; its first time becomes 0', ({
    expect,
  }) => {
    for (const heading of ['', 'time,rate\n']) {
      const profile = rateTrace(`${heading}100,1.5\n160, 15\n220,2\n`)
      expect([0, 59_999, 60_000, 119_999, 120_000, 1e9].map(profile.rateAt)).toEqual([
        1.5, 1.5, 15, 15, 2, 2,
      ])
    }
  })

  it('names the unreadable line, what it expected and what it got', ({ expect }) => {
    expect(() => rateTrace('0,1\n60,fast')).toThrow(
      'line 2: expected a time in seconds and a rate of at least 0, got "60,fast".',
    )
    expect(() => rateTrace('0,1\n60,2\n60,3')).toThrow(
      'line 3: expected a time after 60, got "60".',
    )
    expect(() => rateTrace('0,-1')).toThrow(/line 1/)
    expect(() => rateTrace('')).toThrow(/line 1/)
  })
})

describe('a log of visits', () => {
  it('is read by the names of its columns, in any order of lines', ({ expect }) => {
    const visits = visitLog('class,seconds,serviceMs\n1,12.5,40\n0,10,7.5\n')
    expect(visits).toEqual([
      { atMs: 0, class: 0, demandMs: 7.5 },
      { atMs: 2500, class: 1, demandMs: 40 },
    ])
    expect(visitLog('seconds\n3\n4')).toEqual([{ atMs: 0 }, { atMs: 1000 }])
  })

  it('says what is wrong with it', ({ expect }) => {
    expect(() => visitLog('when,class\n1,2')).toThrow(
      'line 1: expected a heading with the column seconds, got "when,class".',
    )
    expect(() => visitLog('seconds,class\n1,0\n2,gold')).toThrow(
      'line 3: expected a number as class, got "gold".',
    )
  })
})

describe('an access log', () => {
  const line = (time: string) => `192.0.2.1 - - [${time}] "GET / HTTP/1.1" 200 2326`

  it('spreads the requests of a second over that second, in any time zone', ({ expect }) => {
    const log = [
      line('10/Oct/2026:13:55:36 +0000'),
      line('10/Oct/2026:15:55:36 +0200'),
      line('10/Oct/2026:13:55:38 +0000'),
    ].join('\n')
    expect(accessLog(log).map(({ atMs }) => atMs)).toEqual([0, 500, 2000])
  })

  it('names the line without a time', ({ expect }) => {
    expect(() => accessLog(`${line('10/Oct/2026:13:55:36 +0000')}\nnonsense`)).toThrow(/line 2/)
  })
})
