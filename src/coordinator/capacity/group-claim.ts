import type { CapacityGroup } from '../../config/capacity-rules.ts'
import type { CapacityAnswer } from './answer.ts'
import { arbitrate, type Claim } from './arbitrate.ts'

/** The classes at a planned rate: each keeps its part of the arrivals that were seen. */
export function classesAt(planned: number, classes: Claim['classes']): Claim['classes'] {
  const seen = classes.reduce((sum, { rate }) => sum + rate, 0)
  const rateOfClass = (rate: number): number =>
    seen > 0 ? (planned * rate) / seen : planned / classes.length
  return classes.map((one) => ({ ...one, rate: rateOfClass(one.rate) }))
}

/** Do other origins of the group earn more with servers that this one has? */
export function isOverGrant(
  { servers }: CapacityGroup,
  { tiers }: CapacityAnswer,
  own: Claim,
  others: readonly Claim[],
): boolean {
  const [, ...rest] = arbitrate(servers, [own, ...others])
  const taken = rest.reduce((sum, granted) => sum + totalOf(granted.servers), 0)
  const held = Object.values(tiers).reduce((sum, { desired }) => sum + desired, 0)
  return held + taken > servers
}

const totalOf = (servers: Readonly<Record<string, number>>): number =>
  Object.values(servers).reduce((sum, n) => sum + n, 0)
