import type { Feedback } from './feedback.ts'
import type { Plan } from './plan.ts'

/**
 * All that the edge knows of its coordinator: feedback goes up, the newest plan and this sender's share of
 * the room come back. Implemented by Durable Objects, in process, and over HTTP.
 */
export interface CoordinatorPort {
  report(feedback: Feedback): Promise<ReportAnswer>
}

export interface ReportAnswer {
  /** null: the coordinator has never been told the setup; the next report must carry it. */
  readonly plan: Plan | null
  /** The part of all draws that this sender sees, from 0 to 1. */
  readonly share: number
}
