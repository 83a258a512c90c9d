import type { QueueEvent } from './config.ts'
import { instantOf } from './event-time.ts'

/** An event of a waiting room as it is written, in the configuration or by an operator. */
export interface WrittenEvent {
  readonly name: string
  readonly preQueueMs: number
  readonly opens?: string | undefined
  readonly closes?: string | undefined
  readonly reopens?: string | undefined
  readonly zone?: string | undefined
}

/** What was expected instead, and what to write. */
interface WrongTime {
  readonly expected: string
  readonly remedy: string
}

export const TIME_REMEDY = 'Write for example "2026-11-27T10:00" and zone: "Europe/Berlin".'

/** Which of its times does not exist, or comes before the one that it must follow? */
export function wrongTime(written: WrittenEvent): WrongTime | null {
  const { opensMs, closesMs, reopensMs } = eventOf(written)
  const times = { opens: opensMs, closes: closesMs, reopens: reopensMs }
  for (const [name, ms] of Object.entries(times))
    if (ms === null && written[name as keyof typeof times] !== undefined)
      return {
        expected: `a time in "${name}" that exists, with an offset or beside "zone"`,
        remedy: TIME_REMEDY,
      }
  if (opensMs === null && closesMs === null)
    return { expected: '"opens" or "closes"', remedy: 'Write at least one of them.' }
  if (opensMs !== null && closesMs !== null && closesMs <= opensMs)
    return { expected: '"closes" after "opens"', remedy: 'Write a later time.' }
  if (reopensMs !== null && (closesMs === null || reopensMs <= closesMs))
    return { expected: '"reopens" after "closes"', remedy: 'Write a later time, or leave it out.' }
  return null
}

export function eventOf({
  name,
  opens,
  preQueueMs,
  closes,
  reopens,
  zone,
}: WrittenEvent): QueueEvent {
  const at = (time: string | undefined): number | null =>
    time === undefined ? null : instantOf(time, zone ?? null)
  return { name, preQueueMs, opensMs: at(opens), closesMs: at(closes), reopensMs: at(reopens) }
}
