import type { CapacityEvent, Decision, Sample } from '../learners/learner-interface.ts'
import { capacityRatio } from '../learners/sample.ts'

/** Weight of the newest tick in the goodput. */
const WEIGHT = 0.2
/** The highest goodput is forgotten slowly, by this factor a tick. */
const FORGET = 0.9995
/** An announced change is judged by so many seconds of overload. */
const JUDGED_AFTER_S = 10
/** Answers of a tick that are enough to tell whether the origin is overloaded. */
const ENOUGH = 20
/** The origin drowns when this many times the allowed part is late. */
const DROWNED_AT = 2
const MOST_ANNOUNCED = 5

/** What the coordinator measures itself, whatever the learner: a plain JSON value. In requests per second. */
export interface MeasuredCapacity {
  /** Answers in time, smoothed. */
  readonly inTime: number
  /** The highest that `inTime` has been: null: nothing was measured yet. */
  readonly best: number | null
  /** Is the origin overloaded without protection? */
  readonly isDrowning: boolean
  /** Requests of a session, smoothed; null: there were none. */
  readonly perSession: number | null
  /** The last announced changes, newest first. */
  readonly announced: readonly AnnouncedChange[]
}

/** `unproven` until there was overload for 10 s. */
export interface AnnouncedChange extends CapacityEvent {
  readonly atMs: number
  /** Highest goodput in time before it. */
  readonly base: number | null
  readonly verdict: 'unproven' | 'confirmed' | 'wrong'
  /** Answers per second in overload since then, and the seconds of it. */
  readonly measured: number
  readonly overloadS: number
}

export const NOTHING_MEASURED: MeasuredCapacity = {
  inTime: 0,
  best: null,
  isDrowning: false,
  perSession: null,
  announced: [],
}

interface MeasuredTick {
  readonly sample: Sample
  readonly events: readonly CapacityEvent[]
  readonly nowMs: number
}

export function measuredAfter(
  before: MeasuredCapacity,
  { sample, events, nowMs }: MeasuredTick,
): MeasuredCapacity {
  const seconds = sample.lengthMs / 1000
  const { completed, late } = totalsOf(sample)
  const inTime = before.inTime + WEIGHT * ((completed - late) / seconds - before.inTime)
  const { sessions, requests } = sample.admitted
  const fresh = sessions > 0 ? requests / sessions : null
  const isOverload = isOverloaded(sample)
  const judged = before.announced.map((one) =>
    isOverload ? judge(one, completed / seconds, seconds) : one,
  )
  const ratio = capacityRatio(events)
  const added: AnnouncedChange[] = events.map((event) => ({
    ...event,
    atMs: nowMs,
    base: before.best,
    verdict: 'unproven',
    measured: 0,
    overloadS: 0,
  }))
  const best = Math.max(inTime, (before.best ?? 0) * FORGET)
  return {
    inTime,
    // What was measured before a change of capacity scales with it, until more is measured.
    best: completed === 0 && before.best === null ? null : best * ratio,
    isDrowning: drowns(before.isDrowning, sample),
    perSession: mixed(before.perSession, fresh),
    announced: [...added.reverse(), ...judged].slice(0, MOST_ANNOUNCED),
  }
}

/** An origin drowns from far too many late answers on, until there are enough answers and few of them are late. */
function drowns(wasDrowning: boolean, sample: Sample): boolean {
  const ratio = lateRatio(sample)
  if (ratio > DROWNED_AT) return true
  return wasDrowning && (ratio > 1 || totalsOf(sample).completed < ENOUGH)
}

/**
 * The limit in mode `observe`, where the origin is not protected: if it drowns, what the learner would learn from it is
 * wrong. So the highest goodput holds that was in time before.
 */
export function unprotectedDecision(
  { best, perSession }: MeasuredCapacity,
  { granularity }: Sample,
): Decision {
  const limit = granularity === 'session' && best !== null ? best / (perSession ?? 1) : best
  return { limit, reason: 'unprotected' }
}

function judge(one: AnnouncedChange, goodput: number, seconds: number): AnnouncedChange {
  if (one.verdict !== 'unproven') return one
  const overloadS = one.overloadS + seconds
  const measured = one.measured + ((goodput - one.measured) * seconds) / overloadS
  const { base } = one
  if (overloadS < JUDGED_AFTER_S || base === null) return { ...one, measured, overloadS }
  const ratio = one.after / one.before
  // Nearer to the capacity before than to the announced one?
  const middle = (base * (1 + ratio)) / 2
  const isWrong = ratio > 1 ? measured < middle : measured > middle
  return { ...one, measured, overloadS, verdict: isWrong ? 'wrong' : 'confirmed' }
}

/** Requests are refused, or too many are late. */
function isOverloaded(sample: Sample): boolean {
  return sample.offered.requests > 1.02 * sample.admitted.requests || lateRatio(sample) > 1
}

/** The late part of the answers, in units of what the SLA allows; of the worst tier. */
function lateRatio({ tiers }: Sample): number {
  const ratios = tiers
    .filter(({ completed }) => completed >= ENOUGH)
    .map(({ completed, late, percentile }) => late / completed / (1 - percentile / 100))
  return Math.max(0, ...ratios)
}

function totalsOf({ tiers }: Sample): { readonly completed: number; readonly late: number } {
  let completed = 0
  let late = 0
  for (const tier of tiers) {
    completed += tier.completed
    late += tier.late
  }
  return { completed, late }
}

const mixed = (old: number | null, fresh: number | null): number | null =>
  old === null || fresh === null ? (fresh ?? old) : old + (WEIGHT / 4) * (fresh - old)
