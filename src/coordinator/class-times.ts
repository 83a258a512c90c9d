import {
  boundedLevel,
  calmLevelAfter,
  type ExtraTime,
  extraTimeAfter,
  isCalmLevel,
  knownCost,
  NO_EXTRA_TIME,
} from '../lib/extra-time.ts'
import { classKey } from '../protocol/class-key.ts'
import type { Setup } from '../protocol/feedback.ts'
import type { RoutesFeedback } from '../protocol/merge-reports.ts'
import { type AnswerWindow, type TimedAnswers, timedAnswers } from './answer-windows.ts'
import { isApart } from './class-sla.ts'

/** Answers of all classes whose mean is a level. */
const LEVEL_ANSWERS = 64
/**
 * The extra time of a class is a mean over this many answers. A tick counts as no more than `MOST_OF_A_TICK` of them. What
 * classes cost changes seldom, so a flood of minutes hardly changes it.
 */
const MEMORY = 8192
const MOST_OF_A_TICK = 64
/** The usual mix of classes is a mean over time, with this half-life. */
const USUAL_HALF_LIFE_MS = 3_600_000

/** A class of a tier. `usual`: its part of the answers, added up over the time that counts. */
export interface ClassTime extends ExtraTime {
  readonly usual: number
}

/** The classes of one tier, by class key. Tiers saturate separately, so each has a level of its own. */
export interface TierLevel {
  /** The level without queueing; null: not known. */
  readonly calmMs: number | null
  /** Was the last level calm? */
  readonly isCalm: boolean
  /** Answers since then, and their response times without the extra of their classes. */
  readonly answers: number
  readonly levelSumMs: number
  readonly classes: Readonly<Record<string, ClassTime>>
}

/** By tier: a plain JSON value. Tiers with a single class are absent. */
export type ClassTimes = Readonly<Record<string, TierLevel>>

const NEW_CLASS: ClassTime = { ...NO_EXTRA_TIME, usual: 0 }
const NEW_TIER: TierLevel = {
  calmMs: null,
  isCalm: false,
  answers: 0,
  levelSumMs: 0,
  classes: {},
}

/** How much longer the answers of each class take, by the model of src/lib/extra-time.ts, after a tick. */
export function classTimesAfter(
  before: ClassTimes,
  setup: Setup,
  routes: RoutesFeedback,
  windows: readonly AnswerWindow[],
  lengthMs: number,
): ClassTimes {
  const all = new Map(setup.routes.flatMap(({ name }) => [...timedAnswers(name, routes[name])]))
  const after: Record<string, TierLevel> = {}
  for (const [tier, keys] of classesByTier(setup)) {
    // A class that is alone costs what the mean page costs.
    if (keys.length < 2) continue
    const known = before[tier] ?? NEW_TIER
    const classes = Object.fromEntries(keys.map((key) => [key, known.classes[key] ?? NEW_CLASS]))
    const level = withUsual(levelAfter({ ...known, classes }, all), all, lengthMs)
    after[tier] = { ...level, classes: centred(learnedFrom(level, windows)).classes }
  }
  return after
}

/** What an answer of each class costs, where 1 is the mean page; a class that is not known is absent. */
export function classTimeCosts(times: ClassTimes): ReadonlyMap<string, number> {
  const costs = new Map<string, number>()
  for (const { calmMs, classes } of Object.values(times)) {
    for (const [key, one] of Object.entries(classes)) {
      const cost = knownCost(one, calmMs, 0)
      if (cost !== null) costs.set(key, cost)
    }
  }
  return costs
}

function classesByTier({ routes }: Setup): ReadonlyMap<string, readonly string[]> {
  const tiers = new Map<string, string[]>()
  for (const route of routes)
    for (const one of route.classes) {
      // A class that is limited by itself is the unit of its own limit.
      if (isApart(route, one)) continue
      const keys = tiers.get(one.tier)
      if (keys === undefined) tiers.set(one.tier, [classKey(route.name, one.name)])
      else keys.push(classKey(route.name, one.name))
    }
  return tiers
}

/**
 * Extra times are differences to the mean of the usual mix, so the level without queueing is the mean page, which is the unit
 * of costs. `byMs`: how much this mean was beside 0.
 */
function centred(classes: TierLevel['classes']): Pick<TierLevel, 'classes'> & { byMs: number } {
  let usual = 0
  let sumMs = 0
  for (const one of Object.values(classes)) {
    usual += one.usual
    sumMs += one.usual * one.extraMs
  }
  if (usual === 0 || sumMs === 0) return { classes, byMs: 0 }
  const byMs = sumMs / usual
  return { byMs, classes: mapClasses(classes, (one) => ({ ...one, extraMs: one.extraMs - byMs })) }
}

/**
 * Response times of the usual pages of a class. Isolates tell what the newest answers cost beyond them, as far as they know.
 * So if an isolate learns that a class is asked for other pages, their time is not counted twice.
 */
function usualSumMs(
  { sumMs, extra }: TimedAnswers,
  { extraMs }: ExtraTime,
  calmMs: number | null,
): number {
  return Math.max(0, sumMs - extra * ((calmMs ?? 0) + extraMs))
}

interface Level {
  readonly answers: number
  readonly sumMs: number
}

/** Of these answers, without the extra of their classes. New classes tell no level where others are known. */
function levelOf({ calmMs, classes }: TierLevel, window: AnswerWindow): Level {
  const isKnown = (key: string): boolean => (classes[key]?.weight ?? 0) > 0
  const isAnyKnown = [...window.keys()].some(isKnown)
  let answers = 0
  let sumMs = 0
  for (const [key, seen] of window) {
    const one = classes[key]
    if (one === undefined || (isAnyKnown && !isKnown(key))) continue
    answers += seen.answers
    sumMs += usualSumMs(seen, one, calmMs) - seen.answers * one.extraMs
  }
  return { answers, sumMs }
}

/** Takes up the level of a tick, over all senders. */
function levelAfter(before: TierLevel, all: AnswerWindow): TierLevel {
  const level = levelOf(before, all)
  const answers = before.answers + level.answers
  const levelSumMs = before.levelSumMs + level.sumMs
  if (answers < LEVEL_ANSWERS) return { ...before, answers, levelSumMs }
  const levelMs = boundedLevel(before.calmMs, levelSumMs / answers)
  const calmMs = calmLevelAfter(before.calmMs, levelMs)
  return { ...before, calmMs, isCalm: isCalmLevel(calmMs, levelMs), answers: 0, levelSumMs: 0 }
}

/** What the answers of one class took beyond what is known. */
interface Excess {
  answers: number
  sumMs: number
  errorMs: number
}

function learnedFrom(before: TierLevel, windows: readonly AnswerWindow[]): TierLevel['classes'] {
  const { isCalm } = before
  const seen = new Map<string, Excess>()
  for (const window of windows) addExcess(seen, before, window)
  const classes = { ...before.classes }
  for (const [key, { answers, sumMs, errorMs }] of seen) {
    const one = classes[key]!
    const newest = { meanMs: sumMs / answers, errorMs: errorMs / answers, isCalm }
    const counted = Math.min(MOST_OF_A_TICK, answers)
    classes[key] = {
      ...extraTimeAfter(one, { ...newest, answers: counted }, MEMORY),
      usual: one.usual,
    }
  }
  return classes
}

/** Compares the answers of a window with its level. A class that is alone shows no difference. */
function addExcess(seen: Map<string, Excess>, tier: TierLevel, window: AnswerWindow): void {
  const { classes, calmMs } = tier
  const own = [...window].filter(([key]) => classes[key] !== undefined)
  if (own.length < 2) return
  const level = levelOf(tier, window)
  const levelMs = level.sumMs / level.answers
  for (const [key, answers] of own) {
    const one = classes[key]!
    const sumMs = usualSumMs(answers, one, calmMs)
    const excess = seen.get(key) ?? { answers: 0, sumMs: 0, errorMs: 0 }
    excess.answers += answers.answers
    excess.sumMs += sumMs
    excess.errorMs += sumMs - answers.answers * (levelMs + one.extraMs)
    seen.set(key, excess)
  }
}

/** Takes up the mix of a tick. It changes the usual mix slowly, and so the mean page. */
function withUsual(before: TierLevel, all: AnswerWindow, lengthMs: number): TierLevel {
  const countOf = (key: string): number => all.get(key)?.answers ?? 0
  const sum = Object.keys(before.classes).reduce((total, key) => total + countOf(key), 0)
  if (sum === 0) return before
  const decay = 2 ** (-lengthMs / USUAL_HALF_LIFE_MS)
  const mixed = mapClasses(before.classes, (one, key) => ({
    ...one,
    usual: decay * one.usual + (lengthMs * countOf(key)) / sum,
  }))
  const { classes, byMs } = centred(mixed)
  const { calmMs, answers, levelSumMs } = before
  return {
    ...before,
    classes,
    calmMs: calmMs === null ? null : Math.max(0, calmMs + byMs),
    levelSumMs: levelSumMs + answers * byMs,
  }
}

function mapClasses(
  classes: TierLevel['classes'],
  map: (one: ClassTime, key: string) => ClassTime,
): TierLevel['classes'] {
  return Object.fromEntries(Object.entries(classes).map(([key, one]) => [key, map(one, key)]))
}
