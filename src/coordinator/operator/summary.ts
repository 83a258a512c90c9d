import type { Granularity, Mode } from '../../config/config.ts'
import type { TrafficPoint } from './traffic-point.ts'
import { amountText, joined, partText, timesText, timeText } from './wording.ts'

/** How a route is doing, for colours and sorting. `trouble`: somebody should look at it. */
export type SummaryLevel = 'idle' | 'calm' | 'surge' | 'trouble' | 'off'

export interface RouteSummary {
  readonly level: SummaryLevel
  /** A few sentences in plain words. */
  readonly text: string
}

/** What the summary is made from. */
export interface RouteSituation {
  readonly granularity: Granularity
  /** The mode in force. */
  readonly mode: Mode
  /** The traffic of the last seconds; null: there was none yet. */
  readonly traffic: TrafficPoint | null
  /** The SLA's percentile, and what it is in this traffic; null: no request was answered. */
  readonly percentile: number
  readonly percentileMs: number | null
  /** People in the waiting room. */
  readonly waiting: number
  readonly isOvercommitted: boolean
  /** Has an operator fixed the limit? */
  readonly isFixed: boolean
  readonly servers: number
  readonly serversDown: number
}

/** Fewer refusals than this part of the offered are no surge. */
const SURGE_PART = 0.01
/** More failures than this part of the answers are trouble. */
const FAILURE_PART = 0.05

/** Says in plain words what is going on at a route, and why. */
export function summaryOf(situation: RouteSituation): RouteSummary {
  const { mode, traffic, waiting } = situation
  if (mode === 'off') return { level: 'off', text: 'The gate is off. Everybody is let in.' }
  if (traffic === null || traffic.offered + traffic.requests + traffic.refused === 0)
    return { level: 'idle', text: sentences('No requests at the moment.', serversText(situation)) }
  const isQueue = mode === 'enforce' && waiting >= 1
  const isSurge = isQueue || surplusOf(situation, traffic) > SURGE_PART * traffic.offered
  const failed = failedPart(traffic)
  const isLate = isOverTarget(situation, traffic)
  const isTrouble = failed > FAILURE_PART || isLate || situation.serversDown > 0
  return {
    level: isTrouble ? 'trouble' : isSurge ? 'surge' : 'calm',
    text: sentences(
      failed > FAILURE_PART ? `The origin fails ${partText(failed)} of its requests.` : null,
      isQueue ? queueText(situation, traffic) : null,
      isQueue ? null : isSurge ? surgeText(situation, traffic) : calmText(situation, traffic),
      timesAgainstTarget(situation, traffic),
      serversText(situation),
      situation.isOvercommitted
        ? 'The guarantees use up the whole limit: no other request is admitted.'
        : null,
    ),
  }
}

/** Refused, or in `observe` let in although the verdict was to refuse. Per second. */
function surplusOf({ mode }: RouteSituation, traffic: TrafficPoint): number {
  return mode === 'observe' ? traffic.wouldRefuse : traffic.offered - traffic.admitted
}

/** A waiting room serves people who came earlier, so those who get in are not a part of those who ask now. */
function queueText(situation: RouteSituation, traffic: TrafficPoint): string {
  const { offered, admitted } = traffic
  const asked = `${amountText(offered)} ${unitText(situation)} ask, ${amountText(admitted)} get in.`
  const waiting = Math.round(situation.waiting)
  const inLine = waiting === 1 ? '1 visitor waits' : `${waiting} visitors wait`
  return sentences(
    pressureText(situation, traffic) ??
      'The queue is served: no more ask than the origin can serve.',
    asked,
    `${inLine} in line.`,
  )
}

/**
 * null: no more ask than the limit allows. The limit is of one moment, and what was admitted is of some seconds: the larger of
 * the two says more about the capacity.
 */
function pressureText(situation: RouteSituation, traffic: TrafficPoint): string | null {
  const { offered, limit } = traffic
  const room = limit === null ? 0 : Math.max(limit, offered - surplusOf(situation, traffic))
  const pressure = room > 0 ? offered / room : 0
  const capacity = situation.isFixed ? 'the limit that an operator set' : 'the capacity'
  return pressure >= 1.05 ? `Surge: ${timesText(pressure)} ${capacity}.` : null
}

const unitText = ({ granularity }: RouteSituation): string =>
  granularity === 'session' ? 'new sessions/s' : 'requests/s'

function surgeText(situation: RouteSituation, traffic: TrafficPoint): string {
  const { mode } = situation
  const { offered } = traffic
  const admitted = offered - surplusOf(situation, traffic)
  const head =
    pressureText(situation, traffic) ??
    'Surge: more ask than the origin can serve within its target.'
  const verb = mode === 'observe' ? 'Would admit' : 'Admitting'
  const unit = unitText(situation)
  const classes = classesText(situation, traffic)
  const share = classes === null ? '' : `, ${classes}`
  const counted = `${verb} ${amountText(admitted)} of ${amountText(offered)} ${unit}${share}.`
  const observed =
    mode === 'observe' ? 'Everybody is let in, because the gate only observes.' : null
  return sentences(head, counted, observed ?? othersText(traffic))
}

/** What happens to those who are not admitted, if it is something else than a refusal. */
function othersText({ refused, queued, degraded }: TrafficPoint): string | null {
  if (queued > refused && queued >= degraded) return 'The others wait in line.'
  return degraded > refused ? 'The others get a lighter answer.' : null
}

function calmText({ granularity, mode }: RouteSituation, traffic: TrafficPoint): string {
  const { offered, requests, limit } = traffic
  const asked =
    granularity === 'session'
      ? `${amountText(offered)} new sessions/s and ${amountText(requests)} requests/s`
      : `${amountText(offered)} requests/s`
  const room = limit === null ? 'no limit is known yet' : `the limit is ${amountText(limit)}`
  const head = mode === 'observe' ? 'nobody would be refused' : 'everybody gets in'
  const isCalm = failedPart(traffic) <= FAILURE_PART
  return `${isCalm ? `Calm: ${head}` : capitalized(head)}. ${capitalized(asked)}, ${room}.`
}

/** "all members and 3 % of visitors"; null: there is only one class with requests. */
function classesText(situation: RouteSituation, traffic: TrafficPoint): string | null {
  const asking = Object.entries(traffic.classes).filter(([, { offered }]) => offered > 0)
  if (asking.length < 2) return null
  return joined(
    asking.map(([name, { offered, admitted, wouldRefuse }]) => {
      const part = (situation.mode === 'observe' ? offered - wouldRefuse : admitted) / offered
      if (part > 0.995) return `all ${name}`
      return part < 0.0005 ? `no ${name}` : `${partText(part)} of ${name}`
    }),
  )
}

function isOverTarget({ percentileMs }: RouteSituation, { targetMs }: TrafficPoint): boolean {
  return percentileMs !== null && percentileMs > targetMs
}

function timesAgainstTarget(situation: RouteSituation, traffic: TrafficPoint): string | null {
  const { percentile, percentileMs } = situation
  // Failures have no response time.
  if (percentileMs === null || failedPart(traffic) > 1 - percentile / 100) return null
  const measured = `${percentile} % of answers take up to ${timeText(percentileMs)}`
  const target = `the target is ${timeText(traffic.targetMs)}`
  return isOverTarget(situation, traffic)
    ? `Response times are over the target: ${measured}, ${target}.`
    : `Response times are within the target: ${measured}, ${target}.`
}

function failedPart({ served, failed }: TrafficPoint): number {
  return served + failed > 0 ? failed / (served + failed) : 0
}

function serversText({ servers, serversDown }: RouteSituation): string | null {
  if (serversDown === 0) return null
  return `${serversDown} of ${servers} servers ${serversDown === 1 ? 'does' : 'do'} not answer.`
}

const sentences = (...parts: readonly (string | null)[]): string =>
  parts.filter((part) => part !== null).join(' ')

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
