import { ipMatcher } from '../../lib/ip-range.ts'
import { fault } from '../errors/problem.ts'
import { found } from '../errors/wording.ts'
import type { RouteCheck } from './checks.ts'

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

/** For a configuration that is to be deployed: the origins are reachable from the internet. */
export const REACHABILITY: RouteCheck = {
  needs: ['origin'],
  *check({ origin }, { isGiven }) {
    for (const [i, { url }] of (origin?.servers ?? []).entries()) {
      if (!isLocal(new URL(url).hostname)) continue
      const path = isGiven('origin', 'servers') ? ['servers', i, 'url'] : ['url']
      yield fault(
        isGiven('origin', ...path) ? ['origin', ...path] : ['origin'],
        'a public address, because the configuration is to be deployed',
        `${found(url)}, which only this machine or its network can reach`,
        'Write your origin\'s public address, for example "https://origin.example.com".',
      )
    }
  },
}

function isLocal(hostname: string): boolean {
  const host = hostname.replace(/\.$/, '')
  return (
    host === 'localhost' ||
    host.endsWith('.localhost') ||
    isLocalAddress(host.replace(/^\[|\]$/g, ''))
  )
}
