import type { Status } from '../api/shapes.ts'
import { msText, rateText, sparkline } from './numbers.ts'
import { statusText } from './status-text.ts'

/** One look at all routes, for a terminal. */
export function watchView(
  routes: readonly Status[],
  recent: ReadonlyMap<string, readonly number[]>,
  url: string,
  at: Date,
): string {
  const blocks = routes.map((status) => {
    const values = recent.get(status.name) ?? []
    const line = `  admitted  ${sparkline(values)}  ${rateText(values.at(-1) ?? 0)}`
    return `${statusText(status)}\n\n${line}`
  })
  const head = `Tidegate at ${url}   ${at.toISOString().slice(11, 19)} UTC   q ends`
  return [head, ...blocks].join('\n\n')
}

/** Figures that are older are no news: nobody asks. */
const NEWS_MS = 5000

/** The same in one line, for a pipe. */
export function watchLine({ name, mode, now, summary }: Status, at: Date): string {
  const head = `${at.toISOString()} ${name} ${mode}`
  if (!now || at.getTime() - now.atMs > NEWS_MS) return `${head} no requests`
  const { offered, admitted, refused, queued = 0, wouldRefuse, p95Ms, limit } = now
  const turnedAway =
    mode === 'observe' ? `would-refuse ${rateText(wouldRefuse)}` : `refused ${rateText(refused)}`
  return [
    ...[head, summary?.level ?? ''],
    `asked ${rateText(offered)}`,
    `admitted ${rateText(admitted)}`,
    turnedAway,
    ...(queued > 0 ? [`told-to-wait ${rateText(queued)}`] : []),
    `p95 ${msText(p95Ms)}`,
    `limit ${limit === null ? 'none' : rateText(limit)}`,
  ].join(' ')
}
