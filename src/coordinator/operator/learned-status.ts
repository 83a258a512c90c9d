import { requestsPerSession } from '../allocate-limit.ts'
import { unitOf } from '../build-sample.ts'
import type { CoordinatorState } from '../state.ts'

/** What was learned of the origin's capacity, with units. */
export interface LearnedStatus {
  readonly limit: { readonly value: number | null; readonly unit: string }
  /** The limit in requests per second, whatever its unit; null: no limit. */
  readonly requestsPerSecond: number | null
  /** The highest goodput that was measured in time, in requests per second; null: none yet. */
  readonly measuredPerSecond: number | null
  /** The last announced changes, newest first, each with what was found out about it. */
  readonly announced: readonly {
    readonly atMs: number
    readonly before: number
    readonly after: number
    readonly verdict: string
    readonly text: string
  }[]
}

export function learnedStatus(state: CoordinatorState): LearnedStatus {
  const { setup, decision, measured } = state
  const unit = unitOf(setup)
  const perUnit = unit === 'session' ? requestsPerSession(state) : 1
  const { limit } = decision
  return {
    limit: { value: limit, unit: unit === 'session' ? 'new sessions/s' : 'requests/s' },
    requestsPerSecond: limit === null ? null : limit * perUnit,
    measuredPerSecond: measured.best,
    announced: measured.announced.map((one) => ({
      atMs: one.atMs,
      before: one.before,
      after: one.after,
      verdict: one.verdict,
      text: textOf(one),
    })),
  }
}

function textOf(one: CoordinatorState['measured']['announced'][number]): string {
  const change = `A change of capacity from ${one.before} to ${one.after} was announced`
  if (one.verdict === 'unproven') return `${change}. There was no overload yet that shows it.`
  const expected = ((one.base ?? 0) * one.after) / one.before
  const found = `${one.measured.toFixed(0)} requests/s in overload, where ${expected.toFixed(0)} were to be expected`
  return one.verdict === 'wrong'
    ? `${change}, but it is wrong: the origin answers ${found}.`
    : `${change}, and it shows: the origin answers ${found}.`
}
