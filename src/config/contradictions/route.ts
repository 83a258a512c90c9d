import { type Fault, fault } from '../errors/problem.ts'
import { found, quote } from '../errors/wording.ts'
import { LAST_STEPS } from '../resolve.ts'
import { pathCovers } from '../schema/patterns.ts'
import type { ParsedRoute } from '../schema/schema.ts'
import { checkCapacity } from './capacity.ts'
import type { CheckContext, RouteCheck } from './checks.ts'
import { checkBypass, checkClasses } from './classes.ts'
import { checkLearner } from './learner.ts'
import { checkOrder } from './min-max.ts'
import { checkTables, checkTargets, checkWindows } from './sla.ts'
import { checkMeans, checkTurnstile } from './when-full.ts'

export const ROUTE_CHECKS: readonly RouteCheck[] = [
  { needs: ['match'], check: checkOwnPaths },
  { needs: ['origin'], check: checkServers },
  { needs: ['sla', 'classes'], check: checkTables },
  { needs: ['smallFirst', 'granularity'], check: checkSmallFirst },
  { needs: ['whenFull'], check: checkSteps },
  { needs: ['whenFull', 'degrade', 'redirect', 'origin'], check: checkMeans },
  { needs: ['tickMs', 'sla', 'classes'], check: checkWindows },
  { needs: ['sla', 'classes', 'origin'], check: checkTargets },
  {
    needs: ['session'],
    check: ({ session: { idleMs, maxAgeMs } }, { isGiven }) =>
      checkOrder(['session', 'idleMs'], idleMs, ['session', 'maxAgeMs'], maxAgeMs, isGiven),
  },
  {
    needs: ['refusal'],
    check: ({ refusal: { retryMinS, retryMaxS } }, { isGiven }) =>
      checkOrder(['refusal', 'retryMinS'], retryMinS, ['refusal', 'retryMaxS'], retryMaxS, isGiven),
  },
  { needs: ['match', 'classes'], check: checkClasses },
  { needs: ['match', 'bypass'], check: checkBypass },
  { needs: ['learner'], check: checkLearner },
  { needs: ['waitingRoom', 'granularity'], check: checkTurnstile },
  { needs: ['capacity'], check: checkCapacity },
]

const OWN = '/_tidegate/*'

function* checkOwnPaths({ match }: ParsedRoute): Iterable<Fault> {
  if (!pathCovers(OWN, match.path)) return
  const expected = `a path outside ${quote(OWN)}, which Tidegate answers itself`
  yield fault(['match'], expected, quote(match.path), 'Leave this route out.')
}

function* checkServers({ origin }: ParsedRoute): Iterable<Fault> {
  const urls = origin?.servers.map(({ url }) => url) ?? []
  for (const [i, url] of urls.entries()) {
    const first = urls.indexOf(url)
    if (first === i) continue
    yield fault(
      ['origin', 'servers', i, 'url'],
      'each server once',
      `${found(url)}, which is servers[${first}] too`,
      'Write it once, with the sum of the weights.',
    )
  }
}

/** No step comes twice, and none after one that answers every request. */
function* checkSteps({ whenFull = [] }: ParsedRoute): Iterable<Fault> {
  for (const [i, step] of whenFull.entries()) {
    const before = whenFull.slice(0, i)
    const last = before.find((one) => LAST_STEPS.has(one))
    if (before.includes(step))
      yield fault(
        ['whenFull', i],
        'each step once',
        `${found(step)} a second time`,
        'Leave it out.',
      )
    else if (last !== undefined)
      yield fault(
        ['whenFull', i],
        `nothing after ${quote(last)}, which answers every request`,
        found(step),
        `Write it before ${quote(last)}, or leave it out.`,
      )
  }
}

/** The load of a session is all its requests. The size of the first one does not show it. */
function* checkSmallFirst(
  { smallFirst, granularity }: ParsedRoute,
  { isGiven }: CheckContext,
): Iterable<Fault> {
  if (!smallFirst || granularity !== 'session') return
  const origin = isGiven('granularity') ? '' : ', the default'
  yield fault(
    ['smallFirst'],
    `false, because granularity is "session"${origin}, and a session is more than its first request`,
    found(smallFirst),
    'Leave it out, or write granularity: "request".',
  )
}
