import type { RequestMatch } from '../../config/config.ts'
import { cookieReadings } from '../../request/cookie-header.ts'
import { MatchRules } from '../../request/match-rules.ts'
import type { RequestView } from '../../request/request-view.ts'

/** A rule that was tried on a request. */
export interface TriedRule {
  readonly isMatch: boolean
  readonly conditions: readonly TriedCondition[]
}

interface TriedCondition {
  /** `path`, `header X-Plan`, … */
  readonly key: string
  readonly expected: readonly string[]
  /** What the request has; null: nothing. */
  readonly found: string | null
  readonly isMatch: boolean
}

/** Tries a rule on one reading of the path, each of its conditions alone. A rule without conditions matches. */
export function tryRule(match: RequestMatch, view: RequestView, path: string): TriedRule {
  const conditions = partsOf(match, view, path).map(({ key, expected, found, part }) => ({
    ...{ key, expected: expected.map(String), found },
    isMatch: new MatchRules([part]).first(view, path) >= 0,
  }))
  return { isMatch: conditions.every(({ isMatch }) => isMatch), conditions }
}

interface Part {
  readonly key: string
  readonly expected: readonly (string | number)[]
  readonly found: string | null
  /** A rule with this condition alone. */
  readonly part: RequestMatch
}

function partsOf(match: RequestMatch, view: RequestView, path: string): readonly Part[] {
  const { method, country, asn, ip } = match
  const cf = (view.request as { cf?: { country?: string; asn?: number } }).cf ?? {}
  const parts: Part[] = []
  if (match.path)
    parts.push({ key: 'path', expected: match.path, found: path, part: { path: match.path } })
  if (method)
    parts.push({ key: 'method', expected: method, found: view.request.method, part: { method } })
  if (country)
    parts.push({ key: 'country', expected: country, found: cf.country ?? null, part: { country } })
  if (asn)
    parts.push({ key: 'asn', expected: asn, found: cf.asn?.toString() ?? null, part: { asn } })
  if (ip) parts.push({ key: 'ip', expected: ip, found: view.ip, part: { ip } })
  // What answers said, and who may use a pass, is known where visitors are served.
  if (match.pass) parts.push({ key: 'pass', expected: ['true'], found: null, part: { pass: true } })
  if (match.tier)
    parts.push({ key: 'tier', expected: match.tier, found: null, part: { tier: match.tier } })
  for (const [name, expected] of Object.entries(match.header ?? {}))
    parts.push({
      ...{ key: `header ${name}`, expected, found: view.headers.get(name) },
      part: { header: { [name]: expected } },
    })
  for (const [name, expected] of Object.entries(match.cookie ?? {}))
    parts.push({
      ...{
        key: `cookie ${name}`,
        expected,
        found: cookieReadings(view.cookies, name).at(-1) ?? null,
      },
      part: { cookie: { [name]: expected } },
    })
  for (const [name, expected] of Object.entries(match.query ?? {}))
    parts.push({
      ...{ key: `query ${name}`, expected },
      found: new URLSearchParams(view.url.query).get(name),
      part: { query: { [name]: expected } },
    })
  return parts
}
