import { sessionsPerServer } from './size-tiers.ts'

/**
 * Shares servers out to several applications that together want more than there are (Urgaonkar et al. 2008, §5.1;
 * Urgaonkar and Shenoy 2005, §4.1): guarantees first, then each server where it earns most.
 */

export interface Claim {
  readonly name: string
  readonly requestsPerSession: number
  readonly tiers: readonly {
    readonly name: string
    readonly rate: number
    readonly visits: number
    readonly min: number
    readonly max: number
  }[]
  /** The peak rate of each class: what it earns, and the part that is guaranteed. Sessions per second. */
  readonly classes: readonly {
    readonly value: number
    readonly rate: number
    readonly guaranteed: number
  }[]
}

export interface Grant {
  readonly name: string
  /** By tier. */
  readonly servers: Readonly<Record<string, number>>
  /** Session rate that these servers carry. */
  readonly carries: number
  /** It was given less than it claims. */
  readonly isShort: boolean
}

interface Share {
  readonly claim: Claim
  readonly servers: number[]
}

/** `available` is the number of all servers, in use or free. The sum of what is given is never more. */
export function arbitrate(available: number, claims: readonly Claim[]): readonly Grant[] {
  const shares = claims.map((claim): Share => ({ claim, servers: claim.tiers.map(() => 0) }))
  let left = available
  // Each tier's minimum, then the guarantees, then the rest. Within a stage the best earner is first.
  const stages: readonly ((claim: Claim) => (rate: number) => number)[] = [
    (claim) => (rate) => earned(claim, Math.min(rate, guaranteedRate(claim)), 'guaranteed'),
    (claim) => (rate) => earned(claim, rate, 'all'),
  ]
  left = giveMinimum(shares, left)
  for (const stage of stages) left = giveBest(shares, left, stage)
  return shares.map(({ claim, servers }) => {
    const carries = carriedBy(claim, servers)
    const wanted = claim.classes.reduce((sum, { rate }) => sum + rate, 0)
    return {
      name: claim.name,
      servers: Object.fromEntries(claim.tiers.map(({ name }, i) => [name, servers[i]!])),
      carries,
      isShort: carries < wanted * (1 - 1e-9),
    }
  })
}

function giveMinimum(shares: readonly Share[], available: number): number {
  let left = available
  for (const { claim, servers } of shares)
    for (const [i, { min }] of claim.tiers.entries()) {
      servers[i] = Math.min(min, left)
      left -= servers[i]!
    }
  return left
}

/** Gives the smallest set of servers that raises what an application carries, where it earns most per server. */
function giveBest(
  shares: readonly Share[],
  available: number,
  stage: (claim: Claim) => (rate: number) => number,
): number {
  let left = available
  for (;;) {
    let best: { readonly share: Share; readonly added: readonly number[] } | null = null
    let bestPerServer = 0
    for (const share of shares) {
      const added = nextServers(share)
      if (added === null || added.length > left) continue
      const earns = stage(share.claim)
      const more = share.servers.map((n, i) => n + Number(added.includes(i)))
      const gain =
        earns(carriedBy(share.claim, more)) - earns(carriedBy(share.claim, share.servers))
      if (gain / added.length > bestPerServer * (1 + 1e-9)) {
        bestPerServer = gain / added.length
        best = { share, added }
      }
    }
    if (best === null) return left
    for (const i of best.added) best.share.servers[i]!++
    left -= best.added.length
  }
}

/** The tiers that must each get one more server before the application carries more; null: one of them cannot. */
function nextServers({ claim, servers }: Share): readonly number[] | null {
  const carries = carriedBy(claim, servers)
  const lowest: number[] = []
  for (const [i, tier] of claim.tiers.entries()) {
    const own = servers[i]! * sessionsPerServer(tier, claim.requestsPerSession)
    if (own > carries * (1 + 1e-9)) continue
    if (servers[i]! >= tier.max) return null
    lowest.push(i)
  }
  return lowest
}

function carriedBy(claim: Claim, servers: readonly number[]): number {
  return Math.min(
    ...claim.tiers.map((tier, i) => {
      const n = servers[i]!
      return n === 0 ? 0 : n * sessionsPerServer(tier, claim.requestsPerSession)
    }),
  )
}

const guaranteedRate = ({ classes }: Claim): number =>
  classes.reduce((sum, { rate, guaranteed }) => sum + Math.min(rate, guaranteed), 0)

/** What a carried rate earns per second: guaranteed traffic first, then the most valuable class. */
function earned({ classes }: Claim, carried: number, of: 'guaranteed' | 'all'): number {
  const byValue = classes.toSorted((a, b) => b.value - a.value)
  let left = carried
  let sum = 0
  const take = (rate: number, value: number): void => {
    const taken = Math.min(left, rate)
    left -= taken
    sum += taken * value
  }
  for (const { rate, guaranteed, value } of byValue) take(Math.min(rate, guaranteed), value)
  if (of === 'all')
    for (const { rate, guaranteed, value } of byValue) take(Math.max(0, rate - guaranteed), value)
  return sum
}
