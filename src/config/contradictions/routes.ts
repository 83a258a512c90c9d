import { resolveOptions } from '../../lib/option-table.ts'
import { originNameOf } from '../config.ts'
import { APP_ORIGIN } from '../defaults.ts'
import { type Fault, fault } from '../errors/problem.ts'
import { found, quote } from '../errors/wording.ts'
import { cookieOf, nameOf } from '../resolve.ts'
import { routeCovers } from '../schema/patterns.ts'
import type { ParsedRoute } from '../schema/schema.ts'
import { groupFault } from './capacity.ts'
import type { CheckContext, LearnerTables, OtherRoute, PairCheck } from './checks.ts'

export const PAIR_CHECKS: readonly PairCheck[] = [
  { needs: ['name', 'match'], check: checkName },
  { needs: ['match'], check: checkReachable },
  { needs: ['name', 'match', 'session'], check: checkCookie },
  { needs: ['origin'], check: checkPool },
  sameValue('tickMs'),
  sameValue('order'),
  { needs: ['origin', 'learner'], check: checkSameLearner },
  { needs: ['origin', 'capacity'], check: checkSameCapacity },
  {
    needs: ['capacity'],
    check: (route, { route: other, place }) => groupFault(route, other, place),
  },
]

function checkName(route: ParsedRoute, other: OtherRoute, { isGiven }: CheckContext): Fault | null {
  const name = nameOf(route)
  if (name !== nameOf(other.route)) return null
  const shared = `the name of ${other.place} too`
  const shown = isGiven('name')
    ? `${found(name)}, which is ${shared}`
    : `nothing, and ${quote(name)}, made from its match, is ${shared}`
  const remedy = `Write for example ${quote(`${name.slice(0, 60)}-2`)}.`
  return fault(['name'], 'a name of its own', shown, remedy)
}

function checkReachable({ match }: ParsedRoute, other: OtherRoute): Fault | null {
  if (!routeCovers(other.route.match, match)) return null
  const written = match.host === '*' ? match.path : `${match.host}${match.path}`
  return fault(
    ['match'],
    'requests that no earlier route takes',
    `${quote(written)}, all of which ${other.place} takes`,
    `Write this route before ${other.place}, or leave it out.`,
  )
}

/** The cookies of refused and of waiting visitors have the name of the session cookie and one of these. */
const SUFFIXES = ['', '-wait', '-ticket']

/** On https a cookie has this prefix, whether it was written or not. */
const onHttps = (cookie: string): string => cookie.replace(/^(?!__Secure-)(__Host-)?/, '__Host-')

function checkCookie(route: ParsedRoute, other: OtherRoute): Fault | null {
  const [own, taken] = [onHttps(cookieOf(route)), onHttps(cookieOf(other.route))]
  const isShared = SUFFIXES.some((suffix) => own + suffix === taken || own === taken + suffix)
  if (!isShared) return null
  const shown = `${quote(cookieOf(route))}, which ${other.place} uses too`
  const remedy = 'Write another name, or leave it out.'
  return fault(['session', 'cookie'], 'a cookie of its own', shown, remedy)
}

/** Routes to the same origin share a coordinator, so they must agree on what the coordinator works with. */
const sharesOrigin = (route: ParsedRoute, other: OtherRoute): boolean =>
  originNameOf(route) === originNameOf(other.route)

function as(route: ParsedRoute, { place }: OtherRoute): string {
  const name = originNameOf(route)
  return `as in ${place}, because both lead to ${name === APP_ORIGIN ? 'the handlers' : quote(name)}`
}

const shown = (key: keyof ParsedRoute, value: unknown, { isGiven }: CheckContext): string =>
  isGiven(key) ? found(value) : `the default, ${JSON.stringify(value)}`

function checkPool(route: ParsedRoute, other: OtherRoute): Fault | null {
  if (!sharesOrigin(route, other) || poolText(route) === poolText(other.route)) return null
  return fault(
    ['origin'],
    `the same servers, weights, timeoutMs, keepHeaders and purge ${as(route, other)}`,
    'others',
    'Write the same origin in both, or give one of them another origin.name.',
  )
}

/** The same text for the same servers in any order. */
const poolText = ({ origin }: ParsedRoute): string =>
  JSON.stringify([
    origin?.servers.map(({ url, weight }) => `${url} ${weight}`).sort(),
    origin?.timeoutMs,
    origin?.keepHeaders.toSorted(),
    origin?.purge,
  ])

function sameValue(key: 'tickMs' | 'order'): PairCheck {
  return {
    needs: ['origin', key],
    check(route, other, context) {
      if (!sharesOrigin(route, other) || route[key] === other.route[key]) return null
      const wanted = JSON.stringify(other.route[key])
      const expected = `${wanted} ${as(route, other)}`
      return fault([key], expected, shown(key, route[key], context), `Write ${wanted}.`)
    },
  }
}

function checkSameCapacity(
  route: ParsedRoute,
  other: OtherRoute,
  { isGiven }: CheckContext,
): Fault | null {
  if (!sharesOrigin(route, other)) return null
  if (JSON.stringify(route.capacity) === JSON.stringify(other.route.capacity)) return null
  const got = isGiven('capacity') ? 'another' : 'none'
  return fault(
    ['capacity'],
    `the same capacity ${as(route, other)}`,
    got,
    'Write the same in both.',
  )
}

function checkSameLearner(
  route: ParsedRoute,
  other: OtherRoute,
  context: CheckContext,
): Fault | null {
  const { learners } = context
  if (!sharesOrigin(route, other)) return null
  if (learnerText(route, learners) === learnerText(other.route, learners)) return null
  const expected = `the same learner and options ${as(route, other)}`
  const got = shown('learner', route.learner.name, context)
  return fault(['learner'], expected, got, 'Write the same learner in both.')
}

function learnerText({ learner }: ParsedRoute, learners: LearnerTables): string {
  const table = Object.hasOwn(learners, learner.name) ? learners[learner.name]! : {}
  return JSON.stringify([learner.name, resolveOptions(table, learner.options)])
}
