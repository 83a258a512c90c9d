import type { Outcome } from './results.ts'
import type { Trial } from './trial.ts'

const HEAD = [
  'learner',
  'shop: in the crowd',
  'after the loss',
  'windows missed',
  'visitors who left',
  'API: in the crowd',
  'after the loss',
  'windows missed',
]

/** The results as a Markdown table. */
export function resultsText(outcomes: readonly Outcome[]): string {
  const rows = [HEAD, HEAD.map(() => '---'), ...outcomes.map(cellsOf)]
  return rows.map((cells) => `| ${cells.join(' | ')} |\n`).join('')
}

function cellsOf({ name, shop, api }: Outcome): readonly string[] {
  const left = `${Math.round(100 * shop.abandoned)} %`
  return [name, ...sharesOf(shop), left, ...(api ? sharesOf(api) : ['', '', ''])]
}

const sharesOf = ({ inSurge, afterLoss, run }: Trial): readonly string[] => [
  inSurge.toFixed(2),
  afterLoss.toFixed(2),
  `${run.windowsMissed} of ${run.windows}`,
]
