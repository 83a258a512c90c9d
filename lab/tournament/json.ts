import { CONTESTS } from './contests.ts'
import { type ContestLine, summaryOf, violationsOf } from './standing.ts'
import type { TournamentResult } from './tournament.ts'

/** The output of `tournament --json`: plain values for other programs. */
export function outcomeJson({
  standings,
  lines,
  defeats,
  best,
  seeds,
  complete,
}: TournamentResult) {
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

export function linesJson(lines: readonly ContestLine[]) {
  return Object.fromEntries(
    lines.map((line) => [
      line.policy,
      { seeds: line.seeds.length, violations: violationsOf(line), ...summaryOf(line) },
    ]),
  )
}
