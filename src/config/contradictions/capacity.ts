import { type Fault, fault } from '../errors/problem.ts'
import { found, quote } from '../errors/wording.ts'
import type { ParsedRoute } from '../schema/schema.ts'
import type { CheckContext } from './checks.ts'
import { checkOrder } from './min-max.ts'

/** Tiers with names of their own, numbers of servers in order, and parts that leave something for all. */
export function* checkCapacity(
  { capacity }: ParsedRoute,
  { isGiven }: CheckContext,
): Iterable<Fault> {
  if (capacity === undefined) return
  const names = capacity.tiers.map(({ name }) => name)
  let parts = 0
  for (const [i, { name, min, max, servers, part }] of capacity.tiers.entries()) {
    const at = ['capacity', 'tiers', i] as const
    if (names.indexOf(name) < i)
      yield fault(
        [...at, 'name'],
        'each tier once',
        `${found(name)} a second time`,
        'Write another name.',
      )
    yield* checkOrder([...at, 'min'], min, [...at, 'max'], max, isGiven)
    if (servers !== undefined) {
      yield* checkOrder([...at, 'min'], min, [...at, 'servers'], servers, isGiven)
      yield* checkOrder([...at, 'servers'], servers, [...at, 'max'], max, isGiven)
    }
    parts += part ?? 0
  }
  const hasOpen = capacity.tiers.some(({ part }) => part === undefined)
  if (parts > 1 + 1e-9 || (hasOpen && parts > 1 - 1e-9)) {
    const expected = hasOpen ? 'parts of less than 1 in all' : 'parts of at most 1 in all'
    yield fault(['capacity', 'tiers'], expected, `${parts.toFixed(3)}`, 'Write smaller parts.')
  }
  const { group } = capacity
  const least = capacity.tiers.reduce((sum, { min }) => sum + min, 0)
  if (group !== undefined && group.servers < least)
    yield fault(
      ['capacity', 'group', 'servers'],
      `at least ${least}, the minimum of the tiers`,
      found(group.servers),
      `Write ${least}, or make the minima smaller.`,
    )
}

/** null: no contradiction. Origins of one group must agree on the number of its servers. */
export function groupFault(route: ParsedRoute, other: ParsedRoute, place: string): Fault | null {
  const [own, taken] = [route.capacity?.group, other.capacity?.group]
  if (own === undefined || taken === undefined || own.name !== taken.name) return null
  if (own.servers === taken.servers) return null
  return fault(
    ['capacity', 'group', 'servers'],
    `${taken.servers}, as in ${place}, because both are in the group ${quote(own.name)}`,
    found(own.servers),
    `Write ${taken.servers}.`,
  )
}
