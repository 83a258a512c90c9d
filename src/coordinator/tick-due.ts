import type { CoordinatorState } from './state.ts'

/** Reports come a little early or late, so a tick is due when this part of its time is covered. */
const DUE_AT = 0.95
/** Less than this part is too little to learn from. It waits for the next tick. */
const LEAST = 0.5
/**
 * Until the first limit is set, everybody is let in. So the first ticks are due with the relays' second reports, about
 * 230 ms after the first. There are only so many: some learners set no limit for a long time.
 */
const COLD_DUE_AT = 0.2
const COLD_TICKS = 4

/** Do the reports cover so much time that a tick is due? */
export const isTickDue = (state: CoordinatorState | null, lengthMs: number): boolean =>
  state !== null && lengthMs >= state.setup.tickMs * (isCold(state) ? COLD_DUE_AT : DUE_AT)

/** Can anything be learned from reports that cover so much time? */
export const isEnoughToTick = (state: CoordinatorState, lengthMs: number): boolean =>
  lengthMs >= state.setup.tickMs * (isCold(state) ? COLD_DUE_AT : LEAST)

const isCold = ({ decision, seq }: CoordinatorState): boolean =>
  decision.limit === null && decision.reason === 'cold' && seq < COLD_TICKS
