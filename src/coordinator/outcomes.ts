import type { ClassFeedback } from '../protocol/feedback.ts'

/** What happened to those who did not get in at once. Counts. */
export interface Outcomes {
  /** Turned away. */
  readonly refused: number
  /** Sent to the waiting room. Those who come back with a ticket are not counted again. */
  readonly queued: number
  /** Got a lighter answer, or one of another origin. */
  readonly degraded: number
}

export function outcomesOf(feedback: ClassFeedback): Outcomes {
  const {
    offered,
    admitted,
    byTicket,
    early,
    overQuota,
    queued = {},
    degrades = {},
    redirects = {},
  } = feedback
  // In `observe` nobody is kept out, whatever the verdicts are.
  const { event: beforeEvent = 0, early: tooEarly = 0, ...inLine } = queued
  const enteredAtOnce = admitted - byTicket
  const keptOut = Math.max(0, offered - enteredAtOnce + early - tooEarly + overQuota)
  // A request that is admitted with lower quality is not kept out.
  const { quality: atLowerQuality = 0, ...instead } = degrades
  const waiting = Math.min(keptOut, sumOf(inLine))
  const elsewhere = Math.min(keptOut - waiting, sumOf(instead) + sumOf(redirects))
  return {
    refused: keptOut - waiting - elsewhere + soldOutOf(feedback),
    queued: waiting + beforeEvent,
    degraded: elsewhere + atLowerQuality,
  }
}

/** They are not offered, because nothing is left to offer them. In `observe` they are admitted. */
function soldOutOf({ refusals, wouldRefuse }: ClassFeedback): number {
  return Math.max(0, (refusals['sold-out'] ?? 0) - wouldRefuse)
}

function sumOf(counts: Readonly<Record<string, number>>): number {
  let sum = 0
  for (const count of Object.values(counts)) sum += count
  return sum
}
