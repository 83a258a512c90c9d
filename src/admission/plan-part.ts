import type { LimitPart, OwnParts } from '../protocol/coordinator-port.ts'

/** What an isolate may admit of the limits of a plan. */
export interface PlanPart extends LimitPart {
  /** By class key. Absent: as of the shared limit. */
  readonly own?: OwnParts
}

/** Of the limit of a class that is limited by itself. What is lent of the shared limit is not lent of this one. */
export function partOf({ share, fairPart, own }: PlanPart, key: string): LimitPart {
  return own?.[key] ?? { share, ...(fairPart === undefined ? {} : { fairPart }) }
}
