import type { Fault, Path } from '../errors/problem.ts'
import { found, quote } from '../errors/wording.ts'
import { pathCovers } from '../schema/patterns.ts'
import { checkClasses } from './classes.ts'
import type { RouteDraft } from './draft.ts'
import { checkLearner, type LearnerTables } from './learner.ts'
import { type OrderedPair, outOfOrder } from './min-max.ts'

/** Contradictions within one route. */
export function checkRoute(
  route: RouteDraft,
  learners: LearnerTables,
  isGiven: (path: Path) => boolean,
): Fault[] {
  const { path, learner } = route
  return [
    ...checkOwn(route),
    ...checkServers(route),
    ...checkTable(route),
    ...checkSmallFirst(route, isGiven),
    ...pairs(route, isGiven).flatMap((pair) => outOfOrder(pair, path, isGiven)),
    ...checkClasses(route),
    ...(learner ? checkLearner(learner, [...path, 'learner'], learners, isGiven) : []),
  ]
}

function pairs(
  { path, sla, tickMs, origin, session, refusal }: RouteDraft,
  isGiven: (path: Path) => boolean,
): readonly OrderedPair[] {
  const hasTable = isGiven([...path, 'sla', 'table'])
  return [
    ...pair(['tickMs'], tickMs, ['sla', 'windowMs'], sla?.windowMs),
    // What takes longer is given up: no answer could be between the two.
    ...(sla?.targets ?? []).flatMap(({ targetMs }, i) =>
      pair(
        hasTable ? ['sla', 'table', i, 'targetMs'] : ['sla', 'targetMs'],
        targetMs,
        ['origin', 'timeoutMs'],
        origin?.timeoutMs,
      ),
    ),
    ...pair(['session', 'idleMs'], session?.idleMs, ['session', 'longestMs'], session?.longestMs),
    ...pair(
      ['refusal', 'retryMinS'],
      refusal?.retryMinS,
      ['refusal', 'retryMaxS'],
      refusal?.retryMaxS,
    ),
  ]
}

/** Only where both are sound by themselves. */
function pair(
  low: Path,
  lowValue: number | undefined,
  high: Path,
  highValue: number | undefined,
): readonly OrderedPair[] {
  return lowValue === undefined || highValue === undefined
    ? []
    : [{ low, high, lowValue, highValue }]
}

/** A session's load is all its requests: the first of them says nothing of its size. */
function checkSmallFirst(
  { path, smallFirst, granularity }: RouteDraft,
  isGiven: (path: Path) => boolean,
): Fault[] {
  if (smallFirst !== true || granularity !== 'session') return []
  const said = isGiven([...path, 'granularity']) ? '' : ', the default'
  return [
    {
      path: [...path, 'smallFirst'],
      expected: `false, because granularity is "session"${said}, and a session is more than its first request`,
      found: found(smallFirst),
      remedy: 'Leave it out, or write granularity: "request".',
    },
  ]
}

const OWN = '/_tidegate/*'

function checkOwn({ path, match }: RouteDraft): Fault[] {
  if (match === undefined || !pathCovers(OWN, match.path)) return []
  return [
    {
      path: [...path, 'match'],
      expected: `a path outside ${quote(OWN)}, which Tidegate answers itself`,
      found: quote(match.path),
      remedy: 'Leave this route out.',
    },
  ]
}

function checkServers({ path, origin }: RouteDraft): Fault[] {
  const servers = origin?.servers ?? []
  return servers.flatMap(({ url }, i) => {
    const first = servers.findIndex((server) => server.url === url)
    if (url === undefined || first === i) return []
    return [
      {
        path: [...path, 'origin', 'servers', i, 'url'],
        expected: 'each server once',
        found: `${found(url)}, which is servers[${first}] too`,
        remedy: 'Write it once, with the sum of the weights.',
      },
    ]
  })
}

/** Cataclysm's Table 1: a target for each arrival rate, without a gap at the start. */
function checkTable({ path, sla }: RouteDraft): Fault[] {
  const rows = sla?.targets ?? []
  return rows.flatMap(({ fromRate }, i) => {
    if (fromRate === undefined) return []
    const before = rows.slice(0, i).findLast((row) => row.fromRate !== undefined)?.fromRate
    const at = [...path, 'sla', 'table', i, 'fromRate']
    if (i === 0 && fromRate !== 0)
      return [
        {
          path: at,
          expected: '0, because the first row holds from the start',
          found: found(fromRate),
          remedy: 'Write 0, or put a row with fromRate: 0 before it.',
        },
      ]
    if (before === undefined || fromRate > before) return []
    return [
      {
        path: at,
        expected: `a number above ${before}, which is the rate of the row before`,
        found: found(fromRate),
        remedy: 'Write the rows in ascending order, each rate once.',
      },
    ]
  })
}
