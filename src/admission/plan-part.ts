import type { ReportAnswer } from '../protocol/coordinator-port.ts'

/** What an isolate may admit of a plan: its part of all draws, the fair part of a newborn, and its lease. */
export type PlanPart = Pick<ReportAnswer, 'share' | 'fairPart' | 'lease'>
