import type { Config } from '../config.ts'
import { amountDoubts } from './amounts.ts'
import { claimDoubts } from './claims.ts'
import { type Warning, warningOf } from './warning.ts'

/** What is allowed but surely not meant. Tools show it; nothing depends on it, so isolates do not contain it. */
export function configWarnings({ routes }: Config): readonly Warning[] {
  return routes.flatMap((route, i) =>
    [...claimDoubts(route), ...amountDoubts(route)].map((found) => warningOf(found, route.name, i)),
  )
}
