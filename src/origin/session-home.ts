import { fnv1a, scramble } from '../lib/hash.ts'
import type { ServerDrain } from '../protocol/feedback.ts'

/** A short name of a server for session cookies. It does not show the address. */
export function markOf(url: string): string {
  return (scramble(fnv1a(url)) >>> 0).toString(36)
}

/** May the session stay at its server, which is being drained? */
export function mayStay(
  { sinceMs, untilMs, how }: ServerDrain,
  session: string,
  nowMs: number,
): boolean {
  if (nowMs >= untilMs) return false
  if (how === 'measured') return true
  const part = (scramble(fnv1a(session)) >>> 0) / 2 ** 32
  return part >= (nowMs - sinceMs) / (untilMs - sinceMs)
}
