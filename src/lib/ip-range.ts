/** Tests whether an address is in one of the ranges. A range is an IPv4 or IPv6 address, or a CIDR block. */
export function ipMatcher(ranges: readonly string[]): (ip: string) => boolean {
  const parsed = ranges.map(parseRange)
  return (ip) => {
    const address = parseIp(ip)
    return address !== null && parsed.some((range) => range !== null && contains(range, address))
  }
}

interface IpRange {
  readonly address: bigint
  readonly shift: bigint
}

/** A 128-bit number. IPv4 becomes IPv4-mapped IPv6, so that both notations give the same address. */
export function parseIp(text: string): bigint | null {
  if (text.includes(':')) return parseIpv6(text)
  const v4 = parseIpv4(text)
  return v4 === null ? null : V4_MAPPED | v4
}

export function parseRange(text: string): IpRange | null {
  const [address = '', bits, ...rest] = text.split('/')
  const base = parseIp(address)
  if (base === null || rest.length > 0) return null
  const width = address.includes(':') ? 128 : 32
  if (bits !== undefined && !/^\d{1,3}$/.test(bits)) return null
  const prefix = bits === undefined ? width : Number(bits)
  return prefix > width ? null : { address: base, shift: BigInt(width - prefix) }
}

const V4_MAPPED = 0xffffn << 32n

function contains(range: IpRange, address: bigint): boolean {
  return range.address >> range.shift === address >> range.shift
}

function parseIpv4(text: string): bigint | null {
  const parts = text.split('.')
  if (parts.length !== 4) return null
  let value = 0n
  for (const part of parts) {
    // Some systems read a leading zero as octal, so `010.1.2.3` would be two addresses.
    if (!/^(0|[1-9]\d{0,2})$/.test(part) || Number(part) > 255) return null
    value = (value << 8n) | BigInt(part)
  }
  return value
}

function parseIpv6(text: string): bigint | null {
  const lastColon = text.lastIndexOf(':')
  const tail = text.substring(lastColon + 1)
  if (tail.includes('.')) {
    const v4 = parseIpv4(tail)
    if (v4 === null) return null
    return parseIpv6(
      `${text.substring(0, lastColon + 1)}${(v4 >> 16n).toString(16)}:${(v4 & 0xffffn).toString(16)}`,
    )
  }
  const halves = text.split('::')
  if (halves.length > 2) return null
  const groups = halves.map((half) => (half === '' ? [] : half.split(':')))
  const [head = [], rest = []] = groups
  const missing = 8 - head.length - rest.length
  if (halves.length === 2 ? missing < 1 : missing !== 0) return null
  const all = [...head, ...new Array<string>(missing).fill('0'), ...rest]
  let value = 0n
  for (const group of all) {
    if (!/^[0-9a-f]{1,4}$/i.test(group)) return null
    value = (value << 16n) | BigInt(`0x${group}`)
  }
  return value
}
