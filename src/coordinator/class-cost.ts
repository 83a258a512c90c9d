import { classKey } from '../protocol/class-key.ts'
import type { Setup } from '../protocol/feedback.ts'
import { NO_CLASS_FEEDBACK, type RoutesFeedback } from '../protocol/merge-reports.ts'
import { type AnswerTotals, NO_ANSWERS } from './answer-totals.ts'
import { type ClassTimes, classTimeCosts } from './class-times.ts'

/** The mix of requests in a class changes slowly, so its cost is averaged over about this time. */
const CLASS_HALF_LIFE_MS = 30_000
/** The mean over all classes is the unit of the limit. It must change far more slowly than the mix of requests. */
const USUAL_HALF_LIFE_MS = 3_600_000
/** A mean of fewer requests is not used. */
const LEAST_REQUESTS = 20
/** A larger ratio to the mean is more likely an error of measurement. */
const LARGEST_COST = 50

/** Service time of requests, in sums that decay: a plain JSON value. */
export interface ServiceTotals {
  /** By class key. */
  readonly classes: Readonly<Record<string, ClassService>>
  /** Of all classes, over a long time. */
  readonly usual: SentService
}

interface SentService {
  readonly requests: number
  readonly serviceUs: number
}

interface ClassService extends SentService {
  readonly offered: number
  readonly offeredUs: number
}

export const NO_SERVICE_TOTALS: ServiceTotals = {
  classes: {},
  usual: { requests: 0, serviceUs: 0 },
}

/**
 * s_j of λ_j s_j (Urgaonkar and Shenoy 2005, eq. 5), by class key: the load of one request, where 1 is the mean
 * over all classes.
 */
export interface ClassCosts {
  /** Of the requests that ask for a decision. */
  readonly offered: (key: string) => number
  /** Of the requests that go to the origin. */
  readonly sent: (key: string) => number
  /** Of a session of the class. 1 where requests are sized one by one: the first says nothing about the others. */
  readonly session: (key: string) => number
  /** Of all requests that go to the origin now. */
  readonly mean: number
  /** Mean inherent service time over all classes; null: not measured. */
  readonly meanMs: number | null
}

const equal = (): number => 1

/** Where sizes are not known, every request counts as 1. */
export const EQUAL_COSTS: ClassCosts = {
  offered: equal,
  sent: equal,
  session: equal,
  mean: 1,
  meanMs: null,
}

export function serviceTotalsAfter(
  before: ServiceTotals,
  setup: Setup,
  routes: RoutesFeedback,
  lengthMs: number,
): ServiceTotals {
  const decay = 2 ** (-lengthMs / CLASS_HALF_LIFE_MS)
  const usualDecay = 2 ** (-lengthMs / USUAL_HALF_LIFE_MS)
  const classes: Record<string, ClassService> = {}
  let requests = before.usual.requests * usualDecay
  let serviceUs = before.usual.serviceUs * usualDecay
  for (const { name: route, classes: routeClasses } of setup.routes)
    for (const { name } of routeClasses) {
      const key = classKey(route, name)
      const newest = routes[route]?.classes[name] ?? NO_CLASS_FEEDBACK
      const after = addService(before.classes[key] ?? NO_SERVICE, decay, newest)
      if (after.requests > 0 || after.offered > 0) classes[key] = after
      if (newest.serviceUs > 0) {
        requests += newest.requests
        serviceUs += newest.serviceUs
      }
    }
  return { classes, usual: { requests, serviceUs } }
}

const NO_SERVICE: ClassService = { offered: 0, offeredUs: 0, requests: 0, serviceUs: 0 }

/** Requests of unknown size are left out. An isolate knows sizes from its first answer or plan on. */
function addService(before: ClassService, decay: number, newest: ClassService): ClassService {
  return {
    offered: before.offered * decay + (newest.offeredUs > 0 ? newest.offered : 0),
    offeredUs: before.offeredUs * decay + newest.offeredUs,
    requests: before.requests * decay + (newest.serviceUs > 0 ? newest.requests : 0),
    serviceUs: before.serviceUs * decay + newest.serviceUs,
  }
}

/** By measured service times where the origin's routes need them, otherwise by what answers were seen to cost. */
export function costsOf(
  { classes, usual }: ServiceTotals,
  answers: AnswerTotals = {},
  times: ClassTimes = {},
): ClassCosts {
  if (!(usual.requests >= LEAST_REQUESTS && usual.serviceUs > 0)) return answerCosts(answers, times)
  const meanUs = usual.serviceUs / usual.requests
  const cost = (us: number, count: number): number => bounded(us / count / meanUs)
  const sent = (key: string): number => {
    const { requests, serviceUs } = classes[key] ?? NO_SERVICE
    return requests >= LEAST_REQUESTS ? cost(serviceUs, requests) : 1
  }
  return {
    sent,
    session: equal,
    offered: (key) => {
      const { offered, offeredUs } = classes[key] ?? NO_SERVICE
      return offered >= LEAST_REQUESTS ? cost(offeredUs, offered) : sent(key)
    },
    mean: meanOf(
      Object.values(classes),
      ({ requests }) => requests,
      (one) => one.serviceUs / meanUs,
    ),
    meanMs: meanUs / 1000,
  }
}

/** What the class costs, times what its newest answers cost beside its usual ones. */
function answerCosts(classes: AnswerTotals, times: ClassTimes): ClassCosts {
  const costs = classTimeCosts(times)
  const sent = (key: string): number => {
    const { answers, extra } = classes[key] ?? NO_ANSWERS
    const ofMix = answers >= LEAST_REQUESTS ? bounded(1 + extra / answers) : 1
    return bounded((costs.get(key) ?? 1) * ofMix)
  }
  // Some draws bring an answer that is ignored.
  const offered = (key: string): number => {
    const { answers, ignored = 0 } = classes[key] ?? NO_ANSWERS
    return answers > 0 ? bounded((sent(key) * answers) / (answers + ignored)) : sent(key)
  }
  const mean = meanOf(
    Object.entries(classes),
    ([, { answers, mix = answers }]) => mix,
    ([key, { answers, mix = answers }]) => mix * sent(key),
  )
  return { sent, offered, session: sent, mean, meanMs: null }
}

/** The mean cost over classes; 1 where there is too little to tell. */
function meanOf<Class>(
  classes: readonly Class[],
  countOf: (one: Class) => number,
  loadOf: (one: Class) => number,
): number {
  const sum = (of: (one: Class) => number): number => classes.reduce((all, one) => all + of(one), 0)
  const count = sum(countOf)
  return count >= LEAST_REQUESTS ? bounded(sum(loadOf) / count) : 1
}

const bounded = (cost: number): number => Math.min(LARGEST_COST, Math.max(1 / LARGEST_COST, cost))
