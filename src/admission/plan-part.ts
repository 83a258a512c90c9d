import type { ReportAnswer } from '../protocol/coordinator-port.ts'

/** What an isolate may admit of a plan: its part of all draws, the fair part of a newborn, its lease and its part of the cap. */
export type PlanPart = Pick<ReportAnswer, 'share' | 'fairPart' | 'lease' | 'slots'>
