import { ipMatcher } from '../lib/ip-range.ts'

/** Addresses that each network uses for itself. A CDN cannot reach an origin there. */
const isLocalAddress = ipMatcher([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '::/128',
  '::1/128',
  'fc00::/7',
  'fe80::/10',
])

/** Whether only this machine or its network can reach the host. */
export function isLocalHost(hostname: string): boolean {
  const host = hostname.replace(/\.$/, '')
  return (
    host === 'localhost' ||
    host.endsWith('.localhost') ||
    isLocalAddress(host.replace(/^\[|\]$/g, ''))
  )
}
