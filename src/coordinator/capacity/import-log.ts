import { type HourRecord, Predictor } from './predictor.ts'

/** Reads the history of arrivals from an access log, so that the predictor need not wait for weeks. */

interface ImportOptions {
  /** What the route admits: sessions, told apart by address and browser, or requests. */
  readonly unit: 'session' | 'request'
  /** A visitor who comes back after this time is a new session. */
  readonly idleMs: number
}

export interface ImportedLog {
  readonly hours: readonly HourRecord[]
  /** Lines that were used, and lines of another form. */
  readonly lines: number
  readonly skipped: number
}

const MINUTE_MS = 60_000
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
/** `10.0.0.1 - - [10/Oct/2026:13:55:36 +0200] "GET / HTTP/1.1" 200 12 "-" "browser"` */
const COMBINED =
  /^(\S+) [^[]*\[(\d{2})\/([A-Za-z]{3})\/(\d{4}):(\d{2}):(\d{2}):(\d{2}) ([+-]\d{2})(\d{2})\]/
const BROWSER = /"([^"]*)"\s*$/

/** Takes lines of the Common or Combined Log Format, in the order of their times. */
export class LogImport {
  readonly #options: ImportOptions
  readonly #predictor = new Predictor()
  readonly #hours = new Map<number, HourRecord>()
  readonly #seenAtMs = new Map<string, number>()
  #minute = -1
  #arrivals = 0
  #lines = 0
  #skipped = 0

  constructor(options: ImportOptions) {
    this.#options = options
  }

  add(line: string): void {
    const found = COMBINED.exec(line)
    if (found === null || !MONTHS.includes(found[3]!)) {
      if (line.trim() !== '') this.#skipped++
      return
    }
    this.#lines++
    const [, address = ''] = found
    const atMs = timeOf(found)
    const minute = Math.floor(atMs / MINUTE_MS)
    if (minute > this.#minute) this.#endMinutes(minute)
    if (this.#isArrival(`${address} ${BROWSER.exec(line)?.[1] ?? ''}`, atMs)) this.#arrivals++
  }

  result(): ImportedLog {
    this.#endMinutes(this.#minute + 1)
    return { hours: [...this.#hours.values()], lines: this.#lines, skipped: this.#skipped }
  }

  #isArrival(visitor: string, atMs: number): boolean {
    if (this.#options.unit === 'request') return true
    const before = this.#seenAtMs.get(visitor)
    this.#seenAtMs.set(visitor, atMs)
    return before === undefined || atMs - before > this.#options.idleMs
  }

  /** Minutes without a line had no arrivals. A gap of more than an hour is a gap in the log. */
  #endMinutes(next: number): void {
    if (this.#minute >= 0) {
      this.#observe(this.#minute, this.#arrivals / 60)
      const isGap = next - this.#minute > 60
      for (let minute = this.#minute + 1; !isGap && minute < next; minute++)
        this.#observe(minute, 0)
    }
    this.#minute = next
    this.#arrivals = 0
  }

  #observe(minute: number, rate: number): void {
    const record = this.#predictor.observe(rate, minute * MINUTE_MS)
    this.#hours.set(record.hour, record)
  }
}

function timeOf(found: RegExpExecArray): number {
  const [, , day, month = '', year, hour, minute, second, zoneHours, zoneMinutes] = found
  const index = MONTHS.indexOf(month)
  const local = Date.UTC(
    Number(year),
    index,
    Number(day),
    Number(hour),
    Number(minute),
    Number(second),
  )
  const sign = zoneHours!.startsWith('-') ? -1 : 1
  return local - MINUTE_MS * (Number(zoneHours) * 60 + sign * Number(zoneMinutes))
}
