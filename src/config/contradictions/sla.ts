import type { Sla } from '../config.ts'
import { type Fault, fault, type Path } from '../errors/problem.ts'
import { found } from '../errors/wording.ts'
import type { ParsedRoute } from '../schema/schema.ts'
import type { CheckContext } from './checks.ts'
import { checkOrder } from './min-max.ts'

interface PlacedSla {
  readonly at: Path
  readonly sla: Sla
}

/** The agreement of the route, and those of its classes. */
function slasOf({ sla, classes }: Pick<ParsedRoute, 'sla' | 'classes'>): readonly PlacedSla[] {
  const own = classes.flatMap((one, i) =>
    one.sla === undefined ? [] : [{ at: ['classes', i, 'sla'], sla: one.sla }],
  )
  return [{ at: ['sla'], sla }, ...own]
}

/** Each arrival rate has one target: the rows start at 0 and ascend. */
export function* checkTables(route: ParsedRoute): Iterable<Fault> {
  for (const { at, sla } of slasOf(route)) yield* checkTable(at, sla)
}

function* checkTable(at: Path, { targets }: Sla): Iterable<Fault> {
  for (const [i, { fromRate }] of targets.entries()) {
    const path = [...at, 'table', i, 'fromRate']
    const before = targets[i - 1]?.fromRate
    if (before === undefined && fromRate !== 0) {
      const remedy = 'Write 0, or put a row with fromRate: 0 before it.'
      yield fault(path, '0, because the first row applies from the start', found(fromRate), remedy)
    } else if (before !== undefined && fromRate <= before) {
      const expected = `a number above ${before}, which is the rate of the row before`
      const remedy = 'Write the rows in ascending order, each rate once.'
      yield fault(path, expected, found(fromRate), remedy)
    }
  }
}

/** A window has at least one tick. */
export function* checkWindows(route: ParsedRoute, { isGiven }: CheckContext): Iterable<Fault> {
  for (const { at, sla } of slasOf(route))
    yield* checkOrder(['tickMs'], route.tickMs, [...at, 'windowMs'], sla.windowMs, isGiven)
}

/** No response comes after the timeout, so a target above it could never be missed. */
export function* checkTargets(route: ParsedRoute, { isGiven }: CheckContext): Iterable<Fault> {
  const { origin } = route
  if (origin === undefined) return
  const timeout = ['origin', 'timeoutMs']
  for (const { at, sla } of slasOf(route))
    for (const [i, { targetMs }] of sla.targets.entries()) {
      const path = isGiven(...at, 'table') ? [...at, 'table', i, 'targetMs'] : [...at, 'targetMs']
      yield* checkOrder(path, targetMs, timeout, origin.timeoutMs, isGiven)
    }
}
