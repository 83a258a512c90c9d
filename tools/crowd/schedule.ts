import type { Session } from './session.ts'

/** Starts each session at its time; resolves when the time is up or the signal is aborted. */
export function keepSchedule(
  sessions: Iterator<Session>,
  endMs: number,
  nowMs: () => number,
  welcome: (session: Session, lagMs: number) => void,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve) => {
    let next = sessions.next()
    let timer: NodeJS.Timeout | undefined
    const stop = () => {
      clearTimeout(timer)
      resolve()
    }
    const keep = () => {
      const now = nowMs()
      while (!next.done && next.value.atMs <= now) {
        welcome(next.value, now - next.value.atMs)
        next = sessions.next()
      }
      const nextMs = next.done ? endMs : next.value.atMs
      if (next.done && now >= endMs) stop()
      else timer = setTimeout(keep, Math.ceil(nextMs - now))
    }
    if (signal.aborted) return stop()
    signal.addEventListener('abort', stop, { once: true })
    keep()
  })
}
