import { CONTESTS } from '../tournament/contests.ts'
import { goalResults, lossesOf } from '../tournament/goals.ts'
import type { TournamentResult } from '../tournament/tournament.ts'
import { OWN } from '../tournament/tournament.ts'
import type { Shown } from './experiment-section.ts'

/** Replaces the text between the two marks of a section. */
export function withSection(page: string, name: string, text: string): string {
  const [begin, end] = [`<!-- ${name}: begin -->`, `<!-- ${name}: end -->`]
  const from = page.indexOf(begin)
  const to = page.indexOf(end)
  if (from < 0 || to < from) throw new RangeError(`docs/lab.md has no section "${name}"`)
  return `${page.slice(0, from + begin.length)}\n${text}\n${page.slice(to)}`
}

/** The tournament's result for docs/lab.md. */
export function tournamentDocs(outcome: TournamentResult): string {
  const { standings, seeds, best } = outcome
  const losses = lossesOf(outcome)
  return [
    `${CONTESTS.length} scenarios, ${seeds} seeds each:`,
    '',
    '| scenario | |',
    '|---|---|',
    ...CONTESTS.map(({ name, text }) => `| \`${name}\` | ${text} |`),
    '',
    '| policy | mean share | worst share | in | violations | score |',
    '|---|---|---|---|---|---|',
    ...Object.entries(standings).map(
      ([name, standing]) =>
        `| ${name === OWN ? `**${name}**` : name} | ${standing.meanShare.toFixed(3)} | ${standing.worstShare.toFixed(3)} | ${standing.worstContest} | ${standing.violations.toFixed(3)} | ${standing.meanScore.toFixed(3)} |`,
    ),
    '',
    `Goals for \`${OWN}\`:`,
    '',
    ...goalResults(outcome).map(({ text, met }) => `- ${met ? 'Met' : '**Missed**'}: ${text}.`),
    '',
    losses.length === 0 ? 'It falls short in no scenario.' : 'Where it falls short:',
    '',
    ...losses.map((text) => `- ${text}`),
    '',
    `The best settings are: ${best.map(({ peer, forAll }) => (forAll === peer ? `${peer} as published` : forAll)).join('; ')}.`,
  ].join('\n')
}

/** Results for the papers' claims. */
export function claimsDocs(experiments: readonly Shown[]): string {
  const rows = experiments.flatMap(({ experiment, claims }) =>
    claims.map(({ claim, holds, found }) => {
      const why = !holds && claim.missed !== undefined ? ` **Why not:** ${claim.missed}` : ''
      return `| \`${experiment.name}\`: ${experiment.paper}, ${experiment.figure} | ${claim.text} | ${holds ? 'yes' : '**no**'} | ${found}.${why} |`
    }),
  )
  return ['| experiment | claim | holds | seen |', '|---|---|---|---|', ...rows].join('\n')
}
