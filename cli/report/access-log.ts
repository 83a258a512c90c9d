import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { bucketOf, HISTOGRAM_BUCKETS, quantileMs, toHistogram } from '../../src/lib/histogram.ts'
import { CliError } from '../command.ts'
import { type LogLine, readLogLine } from './log-line.ts'
import type { Interval } from './prediction.ts'

/** An access log as intervals of a minute, as the gate's history has them. */

const MINUTE_MS = 60_000

export interface LogOptions {
  readonly granularity: 'session' | 'request'
  readonly targetMs: number
  /** A client that comes back after this long begins a new session. */
  readonly idleMs: number
}

export interface ReadLog {
  readonly intervals: readonly Interval[]
  readonly lines: number
  readonly unreadable: number
  readonly hasTimes: boolean
}

class Minute {
  sessions = 0
  requests = 0
  served = 0
  inTime = 0
  readonly times = new Uint32Array(HISTOGRAM_BUCKETS)
}

/** Adds up the lines of a log. The lines may be slightly out of order, as servers write them when they answer. */
export class LogMinutes {
  readonly #options: LogOptions
  readonly #minutes = new Map<number, Minute>()
  readonly #lastSeen = new Map<string, number>()
  #hasTimes = false

  constructor(options: LogOptions) {
    this.#options = options
  }

  get hasTimes(): boolean {
    return this.#hasTimes
  }

  add({ atMs, client, status, durationMs }: LogLine): void {
    const minute = this.#minuteAt(atMs)
    minute.requests++
    if (this.#isNew(client, atMs)) minute.sessions++
    if (status < 500) minute.served++
    if (durationMs === null) return
    this.#hasTimes = true
    minute.times[bucketOf(durationMs)]! += 1
    if (status < 500 && durationMs <= this.#options.targetMs) minute.inTime++
  }

  /** Every minute from the first to the last, also those without requests. */
  intervals(): readonly Interval[] {
    const starts = [...this.#minutes.keys()]
    if (starts.length === 0) return []
    const [first, last] = starts.reduce(
      ([low, high], start) => [Math.min(low, start), Math.max(high, start)],
      [Number.POSITIVE_INFINITY, 0],
    )
    const count = Math.min(MOST_MINUTES + 1, (last - first) / MINUTE_MS + 1)
    return Array.from({ length: count }, (_, i) => this.#interval(first + i * MINUTE_MS))
  }

  #interval(atMs: number): Interval {
    const { sessions, requests, served, inTime, times } = this.#minutes.get(atMs) ?? new Minute()
    const isSession = this.#options.granularity === 'session'
    return {
      atMs,
      seconds: 60,
      asked: (isSession ? sessions : requests) / 60,
      requests: requests / 60,
      served: served / 60,
      inTime: this.#hasTimes ? inTime / 60 : null,
      p95Ms: quantileMs(toHistogram(times), 0.95),
    }
  }

  #minuteAt(atMs: number): Minute {
    const start = Math.floor(atMs / MINUTE_MS) * MINUTE_MS
    const known = this.#minutes.get(start)
    if (known !== undefined) return known
    const minute = new Minute()
    this.#minutes.set(start, minute)
    return minute
  }

  #isNew(client: string, atMs: number): boolean {
    const last = this.#lastSeen.get(client)
    this.#lastSeen.set(client, Math.max(atMs, last ?? 0))
    return last === undefined || atMs - last > this.#options.idleMs
  }
}

/** More unreadable lines than this are not a few odd ones: it is another format. */
const MOST_UNREADABLE = 0.2
/** A log of this many days would be a wrong clock, and its minutes would fill the memory. */
const MOST_MINUTES = 400 * 24 * 60

export async function readAccessLog(file: string, options: LogOptions): Promise<ReadLog> {
  const minutes = new LogMinutes(options)
  const input = createReadStream(file)
  let [lines, unreadable, firstBad] = [0, 0, 0]
  try {
    for await (const text of createInterface({ input })) {
      if (text.trim() === '') continue
      lines++
      const line = readLogLine(text)
      if (line !== null) minutes.add(line)
      else if (++unreadable === 1) firstBad = lines
    }
  } catch (error) {
    throw new CliError(`${file}: it cannot be read (${(error as NodeJS.ErrnoException).code}).`)
  }
  if (lines === 0 || unreadable > MOST_UNREADABLE * lines)
    throw new CliError(
      `${file}: expected an access log in the Common or Combined Log Format, or one JSON object per line with time and status; ${
        lines === 0
          ? 'the file is empty'
          : `${unreadable} of ${lines} lines are something else, the first is line ${firstBad}`
      }.`,
    )
  const intervals = minutes.intervals()
  if (intervals.length > MOST_MINUTES)
    throw new CliError(
      `${file}: its times span ${Math.round(intervals.length / 1440)} days. Cut it to the days in question.`,
    )
  return { intervals, lines, unreadable, hasTimes: minutes.hasTimes }
}
