import { classKey } from '../protocol/class-key.ts'
import type { Setup } from '../protocol/feedback.ts'
import { NO_CLASS_FEEDBACK, type RoutesFeedback } from '../protocol/merge-reports.ts'
import { isApart } from './class-sla.ts'

/**
 * What the paths of a class cost is a mean over this many answers of the class, and the mix of classes one over this many of
 * all. In a flash crowd the mix changes within seconds, and an origin that takes hundreds of requests a second shows the new
 * one within a tick.
 */
const MEMORY = 200

/** Answers of a class without the ignored, what they cost beyond 1 each, and the ignored. */
interface ClassAnswers {
  readonly answers: number
  /** Where 1 is the mean page of the class. */
  readonly extra: number
  readonly ignored?: number
  /** Of the newest answers of all classes, those of this one. Absent: as many as `answers`. */
  readonly mix?: number
}

/** By class key: a plain JSON value. */
export type AnswerTotals = Readonly<Record<string, ClassAnswers>>

export const NO_ANSWERS: ClassAnswers = { answers: 0, extra: 0 }

/** Takes up the answers of a tick. */
export function answerTotalsAfter(
  before: AnswerTotals,
  { routes: setups }: Setup,
  routes: RoutesFeedback,
): AnswerTotals {
  const all: [string, Required<ClassAnswers>][] = []
  for (const setup of setups)
    for (const one of setup.classes) {
      // A class that is limited by itself is the unit of its own limit.
      if (isApart(setup, one)) continue
      const key = classKey(setup.name, one.name)
      all.push([key, added(before[key], routes[setup.name]?.classes[one.name])])
    }
  const keptOfMix = keptOf(all.reduce((sum, [, { mix }]) => sum + mix, 0))
  return Object.fromEntries(
    all.flatMap(([key, { answers, extra, ignored, mix }]) => {
      const kept = keptOf(answers)
      const after = { answers: kept * answers, extra: kept * extra, ignored: kept * ignored }
      return answers > 0 ? [[key, { ...after, mix: keptOfMix * mix }]] : []
    }),
  )
}

function added(
  { answers, extra, ignored = 0, mix = answers } = NO_ANSWERS,
  { served, ignoredServed, extraCost = 0 } = NO_CLASS_FEEDBACK,
): Required<ClassAnswers> {
  const newest = Math.max(0, served - ignoredServed)
  return {
    answers: answers + newest,
    extra: extra + extraCost / 1000,
    ignored: ignored + ignoredServed,
    mix: mix + newest,
  }
}

const keptOf = (answers: number): number => Math.min(1, MEMORY / answers)
