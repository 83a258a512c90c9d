import { classKey } from '../../protocol/class-key.ts'
import type { Setup } from '../../protocol/feedback.ts'
import type { RoutesFeedback } from '../../protocol/merge-reports.ts'
import { NO_CLASS_FEEDBACK } from '../../protocol/merge-reports.ts'
import type { ClassPlan } from '../../protocol/plan.ts'
import type { Allocation } from '../allocate-classes.ts'
import {
  EMPTY_QUEUE,
  expectedEntries,
  type QueueState,
  queueAfter,
  queuePlanOf,
} from './class-queue.ts'

/** The waiting rooms of an origin, by class key. A class without one has nobody waiting. */
export type QueueStates = Readonly<Record<string, QueueState>>

/** Everybody who waits could enter within this time, if the limit allowed it. */
const BACKLOG_S = 1
/** From a call to its entry. */
const LAG_S = 3

/** What visitors who wait add to the arrivals of their class, per second. */
export function waitingDemand(queues: QueueStates, key: string): number {
  const queue = queues[key]
  return queue === undefined ? 0 : expectedEntries(queue) / BACKLOG_S
}

/** Admissions per second that the allocation gives each class; null: any number. */
export type ClassRates = Readonly<Record<string, number | null>>

/** The waiting rooms after a tick. */
export function queuesAfter(
  before: QueueStates,
  setup: Setup,
  routes: RoutesFeedback,
  tick: { readonly rates: ClassRates; readonly seconds: number; readonly nowMs: number },
): QueueStates {
  const after: Record<string, QueueState> = {}
  for (const route of setup.routes)
    for (const { name } of route.classes) {
      const key = classKey(route.name, name)
      const feedback = routes[route.name]?.classes[name] ?? NO_CLASS_FEEDBACK
      const known = before[key]
      if (known === undefined && !feedback.places && !feedback.fresh) continue
      const { seconds, nowMs, rates } = tick
      const rate = rates[key] ?? null
      after[key] = queueAfter(known ?? EMPTY_QUEUE, { feedback, rate, seconds, nowMs })
    }
  return after
}

interface ClassShare {
  /** The plan of the class, if nobody waited. */
  readonly plan: ClassPlan
  readonly queue: QueueState | undefined
  /** New visitors per second. */
  readonly arrivals: number
  /** Admissions per second that the allocation gives the class; null: any number. */
  readonly rate: number | null
}

/**
 * The plan of a class with a waiting room: tickets come first, and new visitors are drawn for what tickets leave. While
 * somebody waits beyond the watermark, tickets get everything.
 */
export function withQueue(share: ClassShare): ClassPlan {
  const { queue, arrivals, rate } = share
  const told = queue === undefined ? null : queuePlanOf(queue, rate)
  if (queue === undefined || told === null) return share.plan
  const plan = { ...share.plan, ...ownBeside(share) }
  if (!queue.isDirect) return { ...plan, probability: 0, conforming: 0, queue: told }
  if (rate === null) return { ...plan, queue: told }
  const byTicket = ticketRate(queue, rate)
  const conforming = partOf(Math.max(0, plan.guaranteed - byTicket), arrivals)
  const left = Math.max(0, rate - byTicket - conforming * arrivals)
  const probability = plan.probability >= 1 ? 1 : partOf(left, arrivals * (1 - conforming))
  return { ...plan, conforming, probability, queue: told }
}

/** Entries per second that tickets are about to take. */
function ticketRate(queue: QueueState, rate: number | null): number {
  if (rate === null || queue.counts.cells.length === 0) return 0
  if (!queue.isDirect) return rate
  return Math.min(rate, (queue.mark.called * queue.estimates.shows) / LAG_S)
}

const partOf = (some: number, all: number): number =>
  all > 0 ? Math.min(1, some / all) : some > 0 ? 1 : 0

/** Load per second that tickets take beyond the guarantee of their class. */
function besideGuarantee(plan: ClassPlan, queue: QueueState, rate: number | null): number {
  return Math.max(0, ticketRate(queue, rate) - plan.guaranteed) * plan.cost
}

/** The own limit of a class, without what its tickets take. */
function ownBeside({ plan, queue, rate }: ClassShare): Pick<ClassPlan, 'own'> {
  const { own } = plan
  if (own === undefined || own.drawLimit === null || queue === undefined) return {}
  const drawLimit = Math.max(0, own.drawLimit - besideGuarantee(plan, queue, rate))
  return { own: { ...own, drawLimit } }
}

/** What is left for draws under the shared limit, after what tickets take beyond the guarantee of their class. */
export function drawLimitBeside(
  { drawLimit, classes }: Pick<Allocation, 'drawLimit' | 'classes'>,
  queues: QueueStates,
  rates: ClassRates,
): number | null {
  if (drawLimit === null) return null
  let left = drawLimit
  for (const [key, queue] of Object.entries(queues)) {
    const plan = classes[key]
    if (plan === undefined || plan.own !== undefined) continue
    left -= besideGuarantee(plan, queue, rates[key] ?? null)
  }
  return Math.max(0, left)
}
