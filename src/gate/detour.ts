import type { Route } from '../config/config.ts'
import type { RequestView } from '../request/request-view.ts'

/** What a refused request may get instead, and the verdict that this is. */
export interface Instead {
  readonly kind: 'degrade' | 'redirect'
  readonly response: Response
}

/** Can a refused request of this route get anything else? */
export function hasDetour({ whenFull, degrade, redirect }: Route): boolean {
  const isLighter =
    degrade !== null && (degrade.stored !== null || Boolean(degrade.lighter?.origin))
  return (
    (whenFull.includes('degrade') && isLighter) ||
    (whenFull.includes('redirect') && redirect !== null)
  )
}

/** The path of a lighter answer, with the query of the request. */
export function lighterTarget(path: string | null, { url }: RequestView): string {
  if (path === null) return url.target
  const query = url.query === '' ? '' : `?${url.query}`
  const own = url.target.substring(0, url.target.length - query.length)
  return path.endsWith('/*') ? `${path.slice(0, -2)}${own}${query}` : `${path}${query}`
}
