import { histogramTotal } from '../lib/histogram.ts'
import { classKey } from '../protocol/class-key.ts'
import type { Feedback, RouteFeedback } from '../protocol/feedback.ts'

/** Answers of a window are compared with each other. With fewer, a window has seldom two classes. */
const LEAST_ANSWERS = 4
/** A sender that has been silent for this long is forgotten. */
const FORGET_AFTER_MS = 60_000

/** Answers of a class that tell how long it takes. */
export interface TimedAnswers {
  readonly answers: number
  /** Of their response times. */
  readonly sumMs: number
  /** What they cost beyond 1 each, where 1 is the mean page of their class. */
  readonly extra: number
}

/** Answers that one sender saw, by class key. */
export type AnswerWindow = ReadonlyMap<string, TimedAnswers>

/**
 * The newest answers of each sender. Visitors of one class may come from farther away than those of another, so only answers
 * that the same sender saw are compared: all of them had about the same way to the origin.
 */
export class AnswerWindows {
  readonly #open = new Map<string, { atMs: number; answers: Map<string, TimedAnswers> }>()

  add({ sender, routes }: Feedback, nowMs: number): void {
    const open = this.#open.get(sender) ?? { atMs: nowMs, answers: new Map() }
    open.atMs = nowMs
    for (const [route, feedback] of Object.entries(routes))
      for (const [key, answers] of timedAnswers(route, feedback))
        open.answers.set(key, sumOf(open.answers.get(key), answers))
    this.#open.set(sender, open)
  }

  /** The windows that have ended since the last call. */
  take(nowMs: number): readonly AnswerWindow[] {
    const ended: AnswerWindow[] = []
    for (const [sender, { atMs, answers }] of this.#open) {
      const count = [...answers.values()].reduce((sum, one) => sum + one.answers, 0)
      if (count >= LEAST_ANSWERS) ended.push(answers)
      if (count >= LEAST_ANSWERS || nowMs - atMs > FORGET_AFTER_MS) this.#open.delete(sender)
    }
    return ended
  }
}

/** Lighter pages of a degraded route say nothing about the cost of its pages. */
export function timedAnswers(route: string, feedback: RouteFeedback | undefined): AnswerWindow {
  const answers = new Map<string, TimedAnswers>()
  if (Object.keys(feedback?.quality ?? {}).some((step) => Number(step) > 0)) return answers
  for (const [name, { latency, latencyUs, extraCost = 0 }] of Object.entries(
    feedback?.classes ?? {},
  )) {
    const count = histogramTotal(latency)
    if (count === 0) continue
    const timed = { answers: count, sumMs: latencyUs / 1000, extra: extraCost / 1000 }
    answers.set(classKey(route, name), timed)
  }
  return answers
}

function sumOf(a: TimedAnswers | undefined, b: TimedAnswers): TimedAnswers {
  if (a === undefined) return b
  return {
    answers: a.answers + b.answers,
    sumMs: a.sumMs + b.sumMs,
    extra: a.extra + b.extra,
  }
}
