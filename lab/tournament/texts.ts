import type { Interval } from '../engine/statistics.ts'
import { table } from '../report/table.ts'
import { CONTESTS } from './contests.ts'
import { goalResults } from './goals.ts'
import { type ContestLine, summaryOf, violationsOf } from './standing.ts'
import { OWN, type TournamentResult } from './tournament.ts'

const fixed = (value: number, digits = 3): string => value.toFixed(digits)
const percent = (part: number): string => `${(100 * part).toFixed(1)} %`

/** The mean, plus or minus half of its interval; a single seed has no interval. */
export function withInterval({ mean, high }: Interval, show: (value: number) => string): string {
  return Number.isFinite(high) ? `${show(mean)} ±${show(high - mean)}` : show(mean)
}

/** The ranking, and the notes on it. */
export function outcomeText(outcome: TournamentResult): string {
  const { standings, defeats, best, seeds, complete } = outcome
  const rows = Object.entries(standings).map(([name, standing]) => [
    name,
    fixed(standing.meanShare),
    fixed(standing.worstShare),
    standing.worstContest,
    fixed(standing.violations),
    fixed(standing.meanScore),
    String(standing.contests),
  ])
  return [
    table(['policy', 'mean share', 'worst', 'in', 'violations', 'score', 'scenarios'], rows),
    '',
    `Means over ${seeds} seeds of each of ${CONTESTS.length} scenarios. Score = share × (1 − violations).`,
    ...(complete ? [] : ['Stopped early: these are the results so far.']),
    '"(best)" is the setting with the best score over all scenarios:',
    ...best.map(({ peer, forAll }) => `  ${peer}: ${forAll === peer ? 'its defaults' : forAll}`),
    '"(hindsight)" is the best setting for each single scenario, chosen with knowledge of the result.',
    '',
    `Goals for ${OWN}:`,
    ...goalResults(outcome).map(({ text, met }) => `  ${met ? 'met   ' : 'MISSED'}  ${text}`),
    ...defeats.map(
      ({ contest, by, lead }) =>
        `          ${contest}: ${by} leads by ${withInterval(lead, fixed)}`,
    ),
  ].join('\n')
}

/** All figures of some policies on one scenario. */
export function contestText(lines: readonly ContestLine[]): string {
  const rows = lines.map((line) => {
    const summary = summaryOf(line)
    return [
      line.policy,
      withInterval(summary.share, fixed),
      percent(summary.missed.mean),
      percent(summary.clairvoyantMissed.mean),
      fixed(violationsOf(line)),
      `${summary.recoverySeconds.mean.toFixed(0)} s`,
      percent(summary.refused.mean),
      percent(summary.refusedWithRoom.mean),
      fixed(summary.variation.mean, 2),
      percent(summary.brokenOff.mean),
    ]
  })
  const heads = [
    'policy',
    'share',
    'missed',
    'clairvoyant',
    'violations',
    'recovery',
    'refused',
    'with room',
    'variation',
    'broken off',
  ]
  return table(heads, rows)
}
