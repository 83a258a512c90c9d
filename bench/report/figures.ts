import type { BundleFigures } from '../bundle/run.ts'
import type { CoordinatorFigures } from '../coordinator/run.ts'
import type { EdgeFigure } from '../edge/run.ts'
import type { LabFigures } from '../lab/run.ts'
import type { Allocations } from '../micro/allocations.ts'
import type { MicroFigures } from '../micro/run.ts'
import type { PolicingFigures } from '../policing/run.ts'

/** Everything that was measured. A part that was not requested is absent. */
export interface Figures {
  readonly versions: Readonly<Record<string, string>>
  readonly edge?: readonly EdgeFigure[]
  readonly micro?: MicroFigures & { readonly refusal: Allocations }
  readonly policing?: PolicingFigures
  readonly coordinator?: CoordinatorFigures
  readonly bundle?: BundleFigures
  readonly lab?: LabFigures
}

/** `decide, by the bucket` → `decideByTheBucket` */
export const keyOf = (name: string): string =>
  name.replaceAll(/[^A-Za-z0-9]+(.)/g, (_, next: string) => next.toUpperCase())
