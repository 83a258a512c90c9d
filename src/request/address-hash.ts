import { FNV_PRIME, fnv1a } from '../lib/hash.ts'

/** What fairness counts as one client: an address, or the range of an address. */
export type AddressScope = 'ip' | 'range'

const COLON = 58
const PERCENT = 37
const V6_GROUPS = 8
/** Groups of 16 bits: a range is a /48, and an address a /64, because a subscriber may use any address in a /64. */
const RANGE_GROUPS = 3
const HOST_GROUPS = 4

/**
 * A 32-bit hash that is the same for all addresses that count as one client: for IPv4 the address or its /24, for IPv6
 * its /64 or /48. Text that is not an address has a hash too. This runs for every request that may be refused, and
 * parsing the address with BigInts would cost five times as much.
 */
export function addressHash(ip: string, scope: AddressScope, seed: number): number {
  const dot = ip.lastIndexOf('.')
  if (dot < 0) return v6Hash(ip, scope === 'range' ? RANGE_GROUPS : HOST_GROUPS, seed)
  // `::ffff:192.0.2.1` is 192.0.2.1 as a dual-stack socket writes it.
  const from = ip.lastIndexOf(':') + 1
  return fnv1a(ip, seed, from, scope === 'range' ? dot : ip.length)
}

function v6Hash(ip: string, wanted: number, seed: number): number {
  let hash = ~seed
  let group = 0
  let groups = 0
  for (let i = 0; i <= ip.length && groups < wanted; i++) {
    const code = i < ip.length ? ip.charCodeAt(i) : COLON
    if (code === PERCENT) break
    if (code !== COLON) {
      group = (group << 4) | hexDigit(code)
      continue
    }
    if (i > 0 || ip.charCodeAt(1) !== COLON) {
      hash = Math.imul(hash ^ group, FNV_PRIME)
      groups++
    }
    group = 0
    if (ip.charCodeAt(i + 1) !== COLON) continue
    // `::` stands for as many empty groups as are missing.
    for (let empty = V6_GROUPS - groups - groupsAfter(ip, i + 2); empty > 0; empty--) {
      if (groups === wanted) break
      hash = Math.imul(hash, FNV_PRIME)
      groups++
    }
    i++
  }
  return hash
}

function groupsAfter(ip: string, from: number): number {
  if (from >= ip.length) return 0
  let groups = 1
  for (let i = from; i < ip.length; i++) if (ip.charCodeAt(i) === COLON) groups++
  return groups
}

/** Defined for `0` to `9`, `a` to `f` and `A` to `F`. */
function hexDigit(code: number): number {
  return code <= 57 ? code - 48 : (code | 32) - 87
}
