import { fault } from '../errors/problem.ts'
import { found } from '../errors/wording.ts'
import { isLocalHost } from '../local-address.ts'
import type { RouteCheck } from './checks.ts'

/** For a configuration that is to be deployed: the origins are reachable from the internet. */
export const REACHABILITY: RouteCheck = {
  needs: ['origin'],
  *check({ origin }, { isGiven }) {
    for (const [i, { url }] of (origin?.servers ?? []).entries()) {
      if (!isLocalHost(new URL(url).hostname)) continue
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
