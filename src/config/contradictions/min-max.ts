import { type Fault, fault, type Path, pathText } from '../errors/problem.ts'
import { found } from '../errors/wording.ts'

/**
 * The value at `low` must not be above the value at `high`. The fault is at the key that the user wrote, or at
 * the lower one when the user wrote both. `base` is the object that both paths begin at.
 */
export function* checkOrder(
  low: Path,
  lowValue: number,
  high: Path,
  highValue: number,
  isGiven: (...path: Path) => boolean,
  base: Path = [],
): Iterable<Fault> {
  if (lowValue <= highValue) return
  const [lowName, highName] = [pathText(low), pathText(high)]
  const remedy = `Write a lower ${lowName} or a higher ${highName}.`
  const isHighGiven = isGiven(...base, ...high)
  if (isHighGiven && !isGiven(...base, ...low)) {
    const expected = `at least ${lowName}, which is ${lowValue} by default`
    yield fault([...base, ...high], expected, found(highValue), remedy)
  } else {
    const expected = `at most ${highName}, which is ${highValue}${isHighGiven ? '' : ' by default'}`
    yield fault([...base, ...low], expected, found(lowValue), remedy)
  }
}
