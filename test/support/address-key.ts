import { parseIp } from '../../src/lib/ip-range.ts'
import type { AddressScope } from '../../src/request/address-hash.ts'

const V4_PREFIX = 96n
const V4_MAPPED = 0xffffn
const V4_RANGE_BITS = 8n // a /24
/** A subscriber has at least a /64, and may send each request from another address in it. */
const V6_HOST_BITS = 64n
const V6_RANGE_BITS = 80n // a /48

/** The same text for all addresses that count as one client. `addressHash` must agree with it. */
export function addressKey(ip: string, scope: AddressScope): string {
  const address = parseIp(ip)
  if (address === null) return ip
  const isV4 = address >> (128n - V4_PREFIX) === V4_MAPPED
  if (isV4) return scope === 'ip' ? `${address}` : `${address >> V4_RANGE_BITS}/24`
  return scope === 'ip' ? `${address >> V6_HOST_BITS}/64` : `${address >> V6_RANGE_BITS}/48`
}
