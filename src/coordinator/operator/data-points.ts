import type { RoutesFeedback } from '../../protocol/merge-reports.ts'

/** A data point of Workers Analytics Engine. */
export interface AnalyticsPoint {
  readonly indexes: [string]
  readonly blobs: string[]
  readonly doubles: number[]
}

/** Data points that one call of a Worker may write. */
const MOST = 250
/** An index has at most 96 bytes. */
const LONGEST_INDEX = 96

/** What each class did in a minute, as one data point: docs/operating.md names the columns. */
export function dataPoints(origin: string, minute: RoutesFeedback): readonly AnalyticsPoint[] {
  const points: AnalyticsPoint[] = []
  for (const [route, { classes }] of Object.entries(minute))
    for (const [name, feedback] of Object.entries(classes)) {
      const { offered, admitted, byTicket, early, overQuota, requests, served, failed, late } =
        feedback
      const keptOut = Math.max(0, offered - (admitted - byTicket)) + early + overQuota
      if (offered + admitted + requests + early + overQuota === 0) continue
      points.push({
        indexes: [encoded(route)],
        blobs: [origin, route, name],
        doubles: [
          ...[offered, admitted, keptOut],
          ...[requests, served, failed, late, feedback.latencyUs / 1e6],
        ],
      })
    }
  return points.slice(0, MOST)
}

/** The name of a route may have letters of several bytes. */
function encoded(route: string): string {
  return encodeURIComponent(route).slice(0, LONGEST_INDEX)
}
