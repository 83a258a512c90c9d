import { appendFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { summaryOf, type WorldResult } from './result.ts'

/** Seeds from here on are for reports only: whoever tunes on them deceives himself. */
export const FIRST_REPORT_SEED = 1000

/** Every look at a world of such a seed is a line of this file. */
export const LOOKS_FILE = fileURLToPath(new URL('./looks.csv', import.meta.url))

export interface Look {
  /** As `2026-09-30`. */
  readonly date: string
  readonly seed: number
  readonly policy: string
  readonly results: readonly WorldResult[]
}

export const LOOKS_HEAD = 'date,seed,worlds,policy,mean share,tenth percentile,worst,violations'

export function lookLine({ date, seed, policy, results }: Look): string {
  const { worlds, share, tenth, worst, violations } = summaryOf(results)
  const figures = [share, tenth, worst, violations].map((value) => value.toFixed(3))
  return [date, seed, worlds, `"${policy}"`, ...figures].join(',')
}

export async function recordLooks(
  looks: readonly Look[],
  file: string = LOOKS_FILE,
): Promise<void> {
  const lines = looks.filter(({ seed }) => seed >= FIRST_REPORT_SEED).map(lookLine)
  if (lines.length > 0) await appendFile(file, `${lines.join('\n')}\n`)
}
