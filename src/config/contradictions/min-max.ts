import type { Fault, Path } from '../errors/problem.ts'
import { pathText } from '../errors/problem.ts'
import { found } from '../errors/wording.ts'

/** Two numbers of which one must not be above the other. */
export interface OrderedPair {
  readonly low: Path
  readonly high: Path
  readonly lowValue: number
  readonly highValue: number
}

/** The fault is told at the key that the user wrote: at the lower one when it was both. */
export function outOfOrder(
  { low, high, lowValue, highValue }: OrderedPair,
  base: Path,
  isGiven: (path: Path) => boolean,
): Fault[] {
  if (lowValue <= highValue) return []
  const [lowGiven, highGiven] = [isGiven([...base, ...low]), isGiven([...base, ...high])]
  const [lowName, highName] = [pathText(low), pathText(high)]
  const remedy = `Write a lower ${lowName} or a higher ${highName}.`
  if (lowGiven || !highGiven)
    return [
      {
        path: [...base, ...low],
        expected: `at most ${highName}, which is ${highValue}${highGiven ? '' : ' by default'}`,
        found: found(lowValue),
        remedy,
      },
    ]
  return [
    {
      path: [...base, ...high],
      expected: `at least ${lowName}, which is ${lowValue} by default`,
      found: found(highValue),
      remedy,
    },
  ]
}
