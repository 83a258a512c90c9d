import type { ClassFeedback, Setup } from '../../protocol/feedback.ts'
import type { RoutesFeedback } from '../../protocol/merge-reports.ts'
import { ADMIT, DEGRADE, QUEUE, REDIRECT, REFUSE } from '../../protocol/verdict.ts'

/**
 * What is kept of feedback over days: that of the routes and classes that the setup knows, by known reasons. So the
 * number of counters is bounded, whatever edges report. Session ages, tickets and samples are of no use later.
 */
export function knownFeedback({ routes }: Setup, feedback: RoutesFeedback): RoutesFeedback {
  const known: Record<string, RoutesFeedback[string]> = {}
  for (const { name, classes } of routes) {
    const given = feedback[name]
    if (given === undefined) continue
    const named = classes.flatMap((one) => {
      const counted = given.classes[one.name]
      return counted === undefined ? [] : [[one.name, knownCounts(counted)] as const]
    })
    known[name] = { classes: Object.fromEntries(named), ages: [] }
  }
  return known
}

function knownCounts({ places, fresh, ...counts }: ClassFeedback): ClassFeedback {
  const { admits, refusals, queued, degrades, redirects } = counts
  return {
    ...counts,
    admits: byKnownReason(admits, ADMIT),
    refusals: byKnownReason(refusals, REFUSE),
    ...(queued ? { queued: byKnownReason(queued, QUEUE) } : {}),
    ...(degrades ? { degrades: byKnownReason(degrades, DEGRADE) } : {}),
    ...(redirects ? { redirects: byKnownReason(redirects, REDIRECT) } : {}),
  }
}

type Counts = Readonly<Record<string, number>>

/** A newer edge may have more reasons. They count as `other`. */
function byKnownReason(counts: Counts, reasons: object): Counts {
  const isKnown = (reason: string): boolean => Object.hasOwn(reasons, reason) || reason === OTHER
  if (Object.keys(counts).every(isKnown)) return counts
  const known: Record<string, number> = {}
  for (const [reason, count] of Object.entries(counts)) {
    const key = isKnown(reason) ? reason : OTHER
    known[key] = (known[key] ?? 0) + count
  }
  return known
}

const OTHER = 'other'
