import type { LoggedVisit } from './arrivals.ts'
import { pieces, type RateProfile } from './rates.ts'

/** A line of a file that is not readable. */
export class TraceError extends Error {
  readonly line: number

  constructor(line: number, expected: string, got: string) {
    super(`line ${line}: expected ${expected}, got "${got}".`)
    this.name = 'TraceError'
    this.line = line
  }
}

/**
 * A rate trace: CSV of time in seconds and rate per second, with an optional heading. A rate holds
 * until the next line. The first time becomes 0.
 */
export function rateTrace(csv: string): RateProfile {
  const rows = rowsOf(csv).map(({ line, cells }) => {
    const [seconds, rate] = cells.map(Number)
    if (cells.length !== 2 || !Number.isFinite(seconds) || !(rate! >= 0)) {
      throw new TraceError(line, 'a time in seconds and a rate of at least 0', cells.join(','))
    }
    return { line, seconds: seconds!, rate: rate! }
  })
  if (rows.length === 0) throw new TraceError(1, 'a time in seconds and a rate', '')
  for (const [i, { line, seconds }] of rows.entries()) {
    if (i > 0 && seconds <= rows[i - 1]!.seconds) {
      throw new TraceError(line, `a time after ${rows[i - 1]!.seconds}`, String(seconds))
    }
  }
  const startS = rows[0]!.seconds
  return pieces(rows.map(({ seconds, rate }) => ({ fromMs: (seconds - startS) * 1000, rate })))
}

interface Visit extends LoggedVisit {
  readonly atMs: number
}

/**
 * A log of visits: CSV with a heading that names its columns: `seconds` and optionally `class` (a
 * number from 0) and `serviceMs`. The lines may be in any order. The time of the first visit
 * becomes 0.
 */
export function visitLog(csv: string): readonly Visit[] {
  const [heading, ...rows] = csvLines(csv)
  const names = heading?.cells ?? []
  const column = (name: string) => names.indexOf(name)
  if (column('seconds') < 0) {
    throw new TraceError(1, 'a heading with the column seconds', names.join(','))
  }
  const visits = rows.map(({ line, cells }): Visit => {
    const read = (name: string) => {
      if (column(name) < 0) return undefined
      const value = Number(cells[column(name)])
      if (Number.isFinite(value) && cells[column(name)] !== '') return value
      throw new TraceError(line, `a number as ${name}`, cells[column(name)] ?? '')
    }
    const klass = read('class')
    const demandMs = read('serviceMs')
    return {
      atMs: read('seconds')! * 1000,
      ...(klass === undefined ? {} : { class: klass }),
      ...(demandMs === undefined ? {} : { demandMs }),
    }
  })
  return fromZero(visits)
}

/**
 * An access log in the Common or Combined Log Format. Its times are whole seconds: the requests of
 * one second are spread evenly over it, in their order.
 */
export function accessLog(text: string): readonly Visit[] {
  const seconds = text
    .split('\n')
    .map((line, i) => ({ line: i + 1, text: line }))
    .filter((entry) => entry.text.trim() !== '')
    .map(({ line, text: entry }) => {
      const match = /\[(\d{2})\/(\w{3})\/(\d{4}):(\d{2}:\d{2}:\d{2}) ([+-]\d{2})(\d{2})\]/.exec(
        entry,
      )
      const ms = match
        ? Date.parse(`${match[1]} ${match[2]} ${match[3]} ${match[4]} ${match[5]}${match[6]}`)
        : Number.NaN
      if (Number.isNaN(ms)) {
        throw new TraceError(line, 'a time such as [10/Oct/2026:13:55:36 +0000]', entry)
      }
      return ms / 1000
    })
    .sort((a, b) => a - b)
  const counts = new Map<number, number>()
  for (const second of seconds) counts.set(second, (counts.get(second) ?? 0) + 1)
  const placed = new Map<number, number>()
  return fromZero(
    seconds.map((second) => {
      const place = placed.get(second) ?? 0
      placed.set(second, place + 1)
      return { atMs: (second + place / counts.get(second)!) * 1000 }
    }),
  )
}

/** A log in either format: CSV with a column `seconds`, or an access log. */
export function readLog(text: string): readonly Visit[] {
  const [heading = ''] = text.split('\n', 1)
  const isCsv = heading.split(',').some((cell) => cell.trim() === 'seconds')
  const visits = isCsv ? visitLog(text) : accessLog(text)
  if (visits.length === 0) throw new TraceError(1, 'at least one visit', heading)
  return visits
}

const PIECE_MS = 10_000

/** The rate of visits in pieces of ten seconds; 0 after the last visit. */
export function rateOf(visits: readonly Visit[]): RateProfile {
  const counts = new Array<number>(Math.floor(visits.at(-1)!.atMs / PIECE_MS) + 1).fill(0)
  for (const { atMs } of visits) counts[Math.floor(atMs / PIECE_MS)]!++
  return pieces(
    [...counts, 0].map((count, i) => ({ fromMs: i * PIECE_MS, rate: (count * 1000) / PIECE_MS })),
  )
}

function fromZero(visits: readonly Visit[]): readonly Visit[] {
  const sorted = [...visits].sort((a, b) => a.atMs - b.atMs)
  const startMs = sorted[0]?.atMs ?? 0
  return sorted.map((visit) => ({ ...visit, atMs: visit.atMs - startMs }))
}

interface Row {
  readonly line: number
  readonly cells: readonly string[]
}

function csvLines(csv: string): Row[] {
  return csv
    .split('\n')
    .map((text, i) => ({ line: i + 1, cells: text.split(',').map((cell) => cell.trim()) }))
    .filter(({ cells }) => cells.length > 1 || cells[0] !== '')
}

/** Without the heading, if there is one. */
function rowsOf(csv: string): Row[] {
  const rows = csvLines(csv)
  const isHeading = rows.length > 0 && rows[0]!.cells.every((cell) => Number.isNaN(Number(cell)))
  return isHeading ? rows.slice(1) : rows
}
