import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { LogMinutes, readAccessLog } from '../../cli/report/access-log.ts'
import { type Interval, predict } from '../../cli/report/prediction.ts'
import { periodsOf, reportText } from '../../cli/report/report-text.ts'

const MINUTE = 60_000
const OPTIONS = { granularity: 'request', targetMs: 1000 } as const

/** A minute at a load, of an origin that answers 100/s in time and drowns above. */
const minute = (i: number, load: number): Interval => ({
  atMs: i * MINUTE,
  seconds: 60,
  asked: load,
  requests: load,
  served: Math.min(load, 100),
  inTime: load <= 100 ? load : 5,
  p95Ms: load <= 100 ? 200 + load : 8000,
})

const DAY = [50, 60, 95, 96, 97, 95, 200, 300, 200, 60, 50].map((load, i) => minute(i, load))

describe('the prediction', () => {
  it('says what would have been refused, and when', ({ expect }) => {
    const { capacity, refused, secondsOverTarget, intervals } = predict(DAY, OPTIONS)
    expect(capacity).toBeCloseTo(97, 0)
    expect(secondsOverTarget).toBe(180)
    expect(refused / 60).toBeCloseTo(700 - 3 * capacity!, 0)
    expect(periodsOf(intervals)).toHaveLength(1)
    expect(periodsOf(intervals)[0]).toMatchObject({ fromMs: 6 * MINUTE, toMs: 9 * MINUTE })
  })

  it('refuses nobody if the origin was never over the target', ({ expect }) => {
    const calm = DAY.filter(({ asked }) => asked <= 100)
    expect(predict(calm, OPTIONS)).toMatchObject({
      capacity: null,
      capacitySource: 'unknown',
      refused: 0,
    })
  })

  it('judges each minute by the target that was in force', ({ expect }) => {
    // From 90/s on the target is 10 s.
    const table = DAY.map((one) => (one.asked < 90 ? one : { ...one, targetMs: 10_000 }))
    expect(predict(table, OPTIONS)).toMatchObject({ secondsOverTarget: 0, capacity: null })
    const strict = DAY.map((one) => (one.asked < 90 ? one : { ...one, targetMs: 290 }))
    expect(predict(strict, OPTIONS).secondsOverTarget).toBe((3 + 4) * 60)
  })

  it('takes a capacity that is given', ({ expect }) => {
    const { refused } = predict(DAY, { ...OPTIONS, capacity: 150 })
    expect(refused / 60).toBeCloseTo(50 + 150 + 50, 5)
  })

  it('never refuses more than came, and admits no more than the capacity', ({ expect }) => {
    fc.assert(
      fc.property(fc.array(fc.nat(1000), { minLength: 1, maxLength: 60 }), (loads) => {
        const { intervals, capacity } = predict(
          loads.map((load, i) => minute(i, load)),
          OPTIONS,
        )
        for (const { asked, admitted, refused } of intervals) {
          expect(admitted + refused).toBeCloseTo(asked)
          expect(refused).toBeGreaterThanOrEqual(0)
          if (capacity !== null) expect(admitted).toBeLessThanOrEqual(capacity)
        }
      }),
    )
  })

  it('tells periods apart that are more than five minutes apart', ({ expect }) => {
    const loads = [200, 50, 50, 200, ...Array<number>(8).fill(50), 200]
    const { intervals } = predict(
      loads.map((load, i) => minute(i, load)),
      OPTIONS,
    )
    expect(periodsOf(intervals).map(({ fromMs }) => fromMs / MINUTE)).toEqual([0, 12])
  })

  it('is told with its assumptions', ({ expect }) => {
    const facts = { title: 'shop', ...OPTIONS, counted: 1234, notes: ['A note.'] }
    const text = reportText(predict(DAY, OPTIONS), facts)
    expect(text).toContain('over the target without the gate   3 min')
    expect(text).toMatch(/would have been refused +24,\d{3} \(3\d %\), in one period/)
    expect(text).toContain('1970-01-01 00:06 to 00:09   233/s requests, 97/s admitted')
    expect(text).toContain('1,234 refusals while it observed')
    expect(text).toContain('  - A note.')
  })
})

describe('the minutes of an access log', () => {
  const at = (seconds: number, client = 'a', status = 200, durationMs: number | null = 100) => ({
    atMs: seconds * 1000,
    client,
    status,
    durationMs,
  })
  const options = { granularity: 'session', targetMs: 1000, idleMs: 30 * MINUTE } as const

  it('count sessions, requests, errors and answers in time; quiet minutes are there', ({
    expect,
  }) => {
    const minutes = new LogMinutes(options)
    for (const line of [at(0), at(1), at(2, 'b', 503), at(3, 'c', 200, 5000), at(125), at(3000)])
      minutes.add(line)
    const intervals = minutes.intervals()
    expect(intervals).toHaveLength(51)
    const times60 = (value: number | null) => Math.round(value! * 60)
    expect(times60(intervals[0]!.asked)).toBe(3)
    expect(times60(intervals[0]!.requests)).toBe(4)
    expect(times60(intervals[0]!.served)).toBe(3)
    expect(times60(intervals[0]!.inTime)).toBe(2)
    expect(intervals[1]!.requests).toBe(0)
    expect(times60(intervals[2]!.asked)).toBe(0)
    expect(times60(intervals[50]!.asked)).toBe(1)
  })
})

describe('an access log', () => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'tidegate-log-'))
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  const read = (text: string) => {
    writeFileSync(join(folder, 'access.log'), text)
    return readAccessLog(join(folder, 'access.log'), { ...OPTIONS, idleMs: MINUTE })
  }
  const LINE = '10.0.0.1 - - [17/Nov/2026:18:02:11 +0000] "GET / HTTP/1.1" 200 5\n'

  it('may have a few odd lines', async ({ expect }) => {
    expect(await read(`${LINE.repeat(9)}odd\n`)).toMatchObject({
      lines: 10,
      unreadable: 1,
      hasTimes: false,
    })
  })

  it('of another format is refused with the line', async ({ expect }) => {
    await expect(read(`${LINE}odd\nodd\n`)).rejects.toThrow(
      '2 of 3 lines are something else, the first is line 2',
    )
    await expect(read('')).rejects.toThrow('the file is empty')
    await expect(readAccessLog(join(folder, 'none'), { ...OPTIONS, idleMs: 1 })).rejects.toThrow(
      'ENOENT',
    )
  })
})
