import { escaped } from '../../tools/escaped.ts'
import { CONTESTS } from '../tournament/contests.ts'
import { goalResults, lossesOf } from '../tournament/goals.ts'
import { LEARNER_NAMES, PEER_NAMES } from '../tournament/policies.ts'
import { type ContestLine, meanOf, summaryOf, violationsOf } from '../tournament/standing.ts'
import { withInterval } from '../tournament/texts.ts'
import { bestName, OWN, type TournamentResult } from '../tournament/tournament.ts'
import { type Cell, htmlTable } from './html.ts'
import { tournamentPicture } from './picture.ts'

const fixed = (value: number): string => value.toFixed(3)
const percent = (part: number): string => `${(100 * part).toFixed(1)} %`

export function tournamentSections(outcome: TournamentResult): string {
  const losses = lossesOf(outcome)
  return `<section id="tournament">
<h2>The tournament</h2>
<div>${tournamentPicture(outcome, CONTESTS.length)}</div>
<h3>Goals for ${OWN}</h3>
<ul class="claims">
${goalResults(outcome)
  .map(
    ({ text, met }) =>
      `<li class="${met ? 'held' : 'missed'}">${met ? 'Met' : 'Missed'}: ${escaped(text)}</li>`,
  )
  .join('\n')}
</ul>
<h3>Where ${OWN} falls short</h3>
${losses.length === 0 ? '<p>In no scenario.</p>' : `<ul>${losses.map((text) => `<li>${escaped(text)}</li>`).join('\n')}</ul>`}
<h3>All policies</h3>
${standingsTable(outcome)}
<p>"(best)" is the best of up to six settings over all scenarios. "(hindsight)" is the best setting for each single scenario.
The score is share × (1 − violations).</p>
<h3>Results by scenario</h3>
<p>Share of the clairvoyant's value. Red: at least 5 % more windows were missed than by the clairvoyant.</p>
${matrix(outcome)}
${CONTESTS.map((contest) => contestSection(contest, outcome)).join('\n')}
</section>`
}

function standingsTable({ standings }: TournamentResult): string {
  const rows = Object.entries(standings).map(([name, standing]) => [
    { text: name, kind: name === OWN ? 'own' : 'plain' } satisfies Cell,
    fixed(standing.meanShare),
    fixed(standing.worstShare),
    standing.worstContest,
    fixed(standing.violations),
    fixed(standing.meanScore),
  ])
  return htmlTable(['policy', 'mean share', 'worst share', 'in', 'violations', 'score'], rows)
}

/** One row per scenario, one column per policy. */
function matrix({ lines, standings }: TournamentResult): string {
  const columns = [OWN, ...LEARNER_NAMES.filter((name) => name !== OWN), ...PEER_NAMES].filter(
    (name) => name in standings,
  )
  const rows = CONTESTS.map(({ name }) => [
    name,
    ...columns.map((policy) => {
      const line = lines.find((one) => one.contest === name && one.policy === policy)
      return line === undefined ? '' : shareCell(line)
    }),
  ])
  return htmlTable(['scenario', ...columns], rows)
}

function shareCell(line: ContestLine): Cell {
  const share = meanOf(line, 'share')
  const isBroken = violationsOf(line) >= 0.05
  const kind = isBroken ? 'bad' : share >= 0.95 ? 'good' : 'plain'
  return { text: share.toFixed(2), kind }
}

function contestSection(
  { name, text, kind }: (typeof CONTESTS)[number],
  { lines, standings }: TournamentResult,
): string {
  const shown = [OWN, ...LEARNER_NAMES, ...PEER_NAMES, ...PEER_NAMES.map(bestName)]
  const own = [...new Set(shown)].flatMap((policy) =>
    policy in standings
      ? lines.filter((line) => line.contest === name && line.policy === policy)
      : [],
  )
  const rows = own.map((line) => {
    const summary = summaryOf(line)
    return [
      { text: line.policy, kind: line.policy === OWN ? 'own' : 'plain' } satisfies Cell,
      withInterval(summary.share, fixed),
      percent(summary.missed.mean),
      percent(summary.clairvoyantMissed.mean),
      kind === 'onset' ? `${summary.recoverySeconds.mean.toFixed(0)} s` : '',
      percent(summary.refused.mean),
      percent(summary.refusedWithRoom.mean),
      kind === 'steady' ? summary.variation.mean.toFixed(2) : '',
      percent(summary.brokenOff.mean),
    ]
  })
  const heads = [
    'policy',
    'share',
    'windows missed',
    'by the clairvoyant',
    'recovery time',
    'refused',
    'with room',
    'variation',
    'broken off',
  ]
  return `<details><summary><b>${escaped(name)}</b>: ${escaped(text)}</summary>${htmlTable(heads, rows)}</details>`
}
