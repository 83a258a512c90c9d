import type { Feedback } from './feedback.ts'
import type { Plan } from './plan.ts'

/**
 * How the edge reaches its coordinator: it sends feedback and gets the newest plan and its share. There is an
 * implementation with Durable Objects, one in process and one over HTTP (src/transport).
 */
export interface CoordinatorPort {
  report(feedback: Feedback): Promise<ReportAnswer>
}

export interface ReportAnswer {
  /** null: the coordinator does not know the setup. The next report must carry it. */
  readonly plan: Plan | null
  /** The part of all draws that this sender makes, from 0 to 1. */
  readonly share: number
}
