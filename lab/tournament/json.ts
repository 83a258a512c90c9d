import { CONTESTS } from './contests.ts'
import { type Line, summaryOf, violationsOf } from './standing.ts'
import type { Outcome } from './tournament.ts'

/** The output of `tournament --json`: plain values for other programs. */
export function outcomeJson({ standings, lines, defeats, best, seeds, complete }: Outcome) {
  return {
    seeds,
    complete,
    policies: standings,
    scenarios: Object.fromEntries(
      CONTESTS.map(({ name, text, kind }) => [
        name,
        { text, kind, policies: linesJson(lines.filter(({ contest }) => contest === name)) },
      ]),
    ),
    defeats,
    best: Object.fromEntries(
      best.map(({ peer, forAll, forEach }) => [
        peer,
        { forAll, hindsight: Object.fromEntries(forEach) },
      ]),
    ),
  }
}

export function linesJson(lines: readonly Line[]) {
  return Object.fromEntries(
    lines.map((line) => [
      line.policy,
      { seeds: line.seeds.length, violations: violationsOf(line), ...summaryOf(line) },
    ]),
  )
}
