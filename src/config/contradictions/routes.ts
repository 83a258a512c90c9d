import { resolveOptions } from '../../lib/option-table.ts'
import type { LearnerChoice } from '../config.ts'
import { APP_ORIGIN } from '../defaults.ts'
import type { Fault, Path } from '../errors/problem.ts'
import { found, quote } from '../errors/wording.ts'
import { routeCovers } from '../schema/patterns.ts'
import type { RouteDraft } from './draft.ts'
import type { LearnerTables } from './learner.ts'

/** Contradictions between routes. */
export function checkRoutes(
  routes: readonly RouteDraft[],
  learners: LearnerTables,
  isGiven: (path: Path) => boolean,
): Fault[] {
  return routes.flatMap((route, i) => {
    const earlier = routes.slice(0, i)
    return [
      ...sameName(earlier, route),
      ...hidden(earlier, route),
      ...sameCookie(earlier, route),
      ...sharedOrigin(earlier, route, learners, isGiven),
    ]
  })
}

function sameName(earlier: readonly RouteDraft[], { path, name, isNameMade }: RouteDraft): Fault[] {
  const first = earlier.findIndex((other) => other.name === name)
  if (name === undefined || first < 0) return []
  const shared = `the name of routes[${first}] too`
  return [
    {
      path: [...path, 'name'],
      expected: 'a name of its own',
      found: isNameMade
        ? `nothing, and ${quote(name)}, made from its match, is ${shared}`
        : `${found(name)}, which is ${shared}`,
      remedy: `Write for example ${quote(`${name.slice(0, 60)}-2`)}.`,
    },
  ]
}

function hidden(earlier: readonly RouteDraft[], { path, match }: RouteDraft): Fault[] {
  if (match === undefined) return []
  const by = earlier.findIndex((other) => other.match && routeCovers(other.match, match))
  if (by < 0) return []
  const written = match.host === '*' ? match.path : `${match.host}${match.path}`
  return [
    {
      path: [...path, 'match'],
      expected: 'requests that no earlier route takes',
      found: `${quote(written)}, all of which routes[${by}] takes`,
      remedy: `Write this route before routes[${by}], or leave it out.`,
    },
  ]
}

/** The note to the refused is a cookie as well: the session cookie's name and this. */
const NOTE = '-wait'

function sameCookie(earlier: readonly RouteDraft[], { path, session }: RouteDraft): Fault[] {
  const cookie = session?.cookie
  if (cookie === undefined) return []
  const first = earlier.findIndex(({ session: other }) => {
    const taken = other?.cookie
    return taken === cookie || taken === cookie + NOTE || `${taken}${NOTE}` === cookie
  })
  if (first < 0) return []
  return [
    {
      path: [...path, 'session', 'cookie'],
      expected: 'a cookie of its own',
      found: `${quote(cookie)}, which routes[${first}] uses too`,
      remedy: 'Write another name, or leave it out.',
    },
  ]
}

/** Routes that lead to one origin share a coordinator: what it works by must be one as well. */
function sharedOrigin(
  earlier: readonly RouteDraft[],
  route: RouteDraft,
  learners: LearnerTables,
  isGiven: (path: Path) => boolean,
): Fault[] {
  const name = poolName(route)
  const first = earlier.findIndex((other) => poolName(other) === name)
  if (name === undefined || first < 0) return []
  const other = earlier[first]!
  const why = name === APP_ORIGIN ? 'the handlers' : quote(name)
  const as = `as in routes[${first}], because both lead to ${why}`
  const shown = (key: 'tickMs' | 'order' | 'learner', value: unknown) =>
    isGiven([...route.path, key]) ? found(value) : `the default, ${JSON.stringify(value)}`
  const faults: Fault[] = []
  const [own, others] = [poolText(route), poolText(other)]
  if (own !== null && others !== null && own !== others)
    faults.push({
      path: [...route.path, 'origin'],
      expected: `the same servers, weights and timeoutMs ${as}`,
      found: 'others',
      remedy: 'Write the same origin in both, or give one of them another origin.name.',
    })
  if (route.tickMs !== undefined && other.tickMs !== undefined && route.tickMs !== other.tickMs)
    faults.push({
      path: [...route.path, 'tickMs'],
      expected: `${other.tickMs} ${as}`,
      found: shown('tickMs', route.tickMs),
      remedy: `Write ${other.tickMs}.`,
    })
  if (route.order !== undefined && other.order !== undefined && route.order !== other.order)
    faults.push({
      path: [...route.path, 'order'],
      expected: `${quote(other.order)} ${as}`,
      found: shown('order', route.order),
      remedy: `Write ${quote(other.order)}.`,
    })
  if (route.learner && other.learner && !isSameLearner(route.learner, other.learner, learners))
    faults.push({
      path: [...route.path, 'learner'],
      expected: `the same learner and options ${as}`,
      found: shown('learner', route.learner.name),
      remedy: 'Write the same learner in both.',
    })
  return faults
}

function poolName({ origin }: RouteDraft): string | undefined {
  return origin === null ? APP_ORIGIN : origin?.name
}

/** In whatever order the servers are written; null: a part of it is faulty. */
function poolText({ origin }: RouteDraft): string | null {
  if (!origin) return ''
  const { servers, timeoutMs } = origin
  const parts = servers?.flatMap(({ url, weight }) => [url, weight])
  if (timeoutMs === undefined || parts === undefined || parts.includes(undefined)) return null
  return JSON.stringify([servers?.map(({ url, weight }) => `${url} ${weight}`).sort(), timeoutMs])
}

function isSameLearner(a: LearnerChoice, b: LearnerChoice, learners: LearnerTables): boolean {
  if (a.name !== b.name) return false
  const table = Object.hasOwn(learners, a.name) ? learners[a.name]! : {}
  return (
    JSON.stringify(resolveOptions(table, a.options)) ===
    JSON.stringify(resolveOptions(table, b.options))
  )
}
