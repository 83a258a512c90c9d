import { table } from '../report/table.ts'
import type { Claim, Experiment } from './experiment.ts'
import type { Runs } from './runs.ts'

/** The result of an experiment: its claims first, then the numbers. */
export function experimentText(
  { name, paper, figure, title }: Experiment,
  runs: Runs,
  claims: readonly Claim[],
): string {
  const keys = [...new Set([...runs].flatMap((run) => Object.keys(run.point)))]
  const values = [...new Set([...runs].flatMap((run) => run.values))]
  const rows = runs.map((run) => [
    run.policy,
    ...keys.map((key) => String(run.point[key] ?? '')),
    ...values.map((value) => shown(run.mean(value))),
  ])
  return [
    `${name} (${paper}, ${figure}): ${title}`,
    ...claims.flatMap((claim) => [
      `  ${claim.holds(runs) ? 'holds' : 'DOES NOT HOLD'}: ${claim.text}`,
      `    seen: ${claim.found(runs)}`,
      ...(claim.missed === undefined ? [] : [`    why not: ${claim.missed}`]),
    ]),
    table(['policy', ...keys, ...values], rows),
  ].join('\n')
}

export function experimentJson(
  { paper, figure, title }: Experiment,
  runs: Runs,
  claims: readonly Claim[],
) {
  return {
    paper,
    figure,
    title,
    claims: claims.map((claim) => ({
      claim: claim.text,
      holds: claim.holds(runs),
      found: claim.found(runs),
      ...(claim.missed === undefined ? {} : { why: claim.missed }),
    })),
    runs: runs.map((run) => ({
      policy: run.policy,
      ...run.point,
      seeds: run.seeds,
      values: Object.fromEntries(run.values.map((value) => [value, run.of(value)])),
    })),
  }
}

/** Four digits are enough to compare. */
function shown(value: number): string {
  return Math.abs(value) >= 1000 ? value.toFixed(0) : Number(value.toPrecision(4)).toString()
}
