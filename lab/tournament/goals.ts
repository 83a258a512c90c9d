import { LEARNER_NAMES, PEER_NAMES } from './policies.ts'
import { type ContestLine, meanOf, violationsOf } from './standing.ts'
import { bestName, OWN, type TournamentResult } from './tournament.ts'

/** Goals for the product's default learner. */
const GOALS = { meanShare: 0.95, worstShare: 0.85, violations: 0.03 } as const

interface GoalResult {
  readonly text: string
  readonly met: boolean
}

/** The result for each goal, with its numbers. */
export function goalResults({ standings, defeats }: TournamentResult): readonly GoalResult[] {
  const own = standings[OWN]
  if (own === undefined) return []
  const ahead = PEER_NAMES.map(bestName).filter(
    (name) => (standings[name]?.meanScore ?? 0) >= own.meanScore,
  )
  return [
    {
      text: `mean share of at least ${GOALS.meanShare}: ${own.meanShare.toFixed(3)}`,
      met: own.meanShare >= GOALS.meanShare,
    },
    {
      text: `worst share of at least ${GOALS.worstShare}: ${own.worstShare.toFixed(3)} in ${own.worstContest}`,
      met: own.worstShare >= GOALS.worstShare,
    },
    {
      text: `violations of at most ${GOALS.violations}: ${own.violations.toFixed(3)}`,
      met: own.violations <= GOALS.violations,
    },
    {
      text: `behind no rival at its defaults in any scenario by more than the interval: ${defeats.length === 0 ? 'none' : `${defeats.length} times`}`,
      met: defeats.length === 0,
    },
    {
      text: `ahead of every rival's best setting on average, by score: ${ahead.length === 0 ? 'all' : `not of ${ahead.join(', ')}`}`,
      met: ahead.length === 0,
    },
  ]
}

/** Where the product's default learner falls short, worst first. */
export function lossesOf({ lines, defeats }: TournamentResult): readonly string[] {
  const short = lines
    .filter(({ policy }) => policy === OWN)
    .filter(
      (line) => meanOf(line, 'share') < GOALS.meanShare || violationsOf(line) > GOALS.violations,
    )
    .toSorted((a, b) => meanOf(a, 'score') - meanOf(b, 'score'))
  return [
    ...short.map((line) => `${shortText(line)}${rivalText(line, lines)}`),
    ...defeats
      .filter(({ contest }) => short.every((line) => line.contest !== contest))
      .map(
        ({ contest, by, lead }) =>
          `${contest}: behind ${by} at its defaults by ${lead.mean.toFixed(3)} in score.`,
      ),
  ]
}

function shortText(line: ContestLine): string {
  const share = meanOf(line, 'share')
  const violations = violationsOf(line)
  const parts = [
    ...(share < GOALS.meanShare ? [`only ${share.toFixed(3)} of the clairvoyant's value`] : []),
    ...(violations > GOALS.violations
      ? [`${(100 * violations).toFixed(0)} % more windows missed than by the clairvoyant`]
      : []),
  ]
  return `${line.contest}: ${parts.join(', and ')}.`
}

/** The best of the others on this contest, if it is better. */
function rivalText(own: ContestLine, lines: readonly ContestLine[]): string {
  const others = lines.filter(
    ({ contest, policy }) =>
      contest === own.contest &&
      policy !== OWN &&
      (PEER_NAMES.includes(policy) || LEARNER_NAMES.includes(policy)),
  )
  if (others.length === 0) return ''
  const best = others.reduce((a, b) => (meanOf(b, 'score') > meanOf(a, 'score') ? b : a))
  if (meanOf(best, 'score') <= meanOf(own, 'score'))
    return ' No other policy does better with its defaults.'
  return ` ${best.policy} does better: ${meanOf(best, 'share').toFixed(3)}, ${(100 * violationsOf(best)).toFixed(0)} % missed.`
}
