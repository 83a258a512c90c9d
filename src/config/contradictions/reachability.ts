import { ipMatcher } from '../../lib/ip-range.ts'
import type { Fault, Path } from '../errors/problem.ts'
import { found } from '../errors/wording.ts'
import type { RouteDraft } from './draft.ts'

/** What each network keeps to itself: from a CDN's edge these lead nowhere, or to the wrong machine. */
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

/** A deployed gate runs elsewhere than the one who writes its configuration: origins must be within its reach. */
export function checkReach(
  { path, origin }: RouteDraft,
  isGiven: (path: Path) => boolean,
): Fault[] {
  const at = [...path, 'origin']
  const isPool = isGiven([...at, 'servers'])
  const isObject = isGiven([...at, 'url'])
  return (origin?.servers ?? []).flatMap(({ url }, i) => {
    if (url === undefined || !isLocal(new URL(url).hostname)) return []
    return [
      {
        path: isPool ? [...at, 'servers', i, 'url'] : isObject ? [...at, 'url'] : at,
        expected: 'an address that is reached from the internet, because it is for deployment',
        found: `${found(url)}, which only this machine or its network reaches`,
        remedy: 'Write your origin\'s public address, for example "https://origin.example.com".',
      },
    ]
  })
}

function isLocal(hostname: string): boolean {
  const host = hostname.replace(/\.$/, '')
  return (
    host === 'localhost' ||
    host.endsWith('.localhost') ||
    isLocalAddress(host.replace(/^\[|\]$/g, ''))
  )
}
