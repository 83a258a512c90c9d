import { progressBar } from '../progress-printer.ts'
import { CALM_PART, type Phase } from './crowd.ts'
import type { Figures } from './page-counts.ts'
import type { RunName } from './report.ts'

export interface Progress {
  readonly name: RunName
  readonly elapsedMs: number
  readonly seconds: number
  readonly totals: Readonly<Record<Phase, Figures>>
}

export function progressLine({ name, elapsedMs, seconds, totals }: Progress): string {
  const done = Math.min(1, elapsedMs / (seconds * 1000))
  const left = Math.max(0, Math.ceil(seconds - elapsedMs / 1000))
  const phase = done < CALM_PART ? 'calm ' : 'surge'
  const count = (key: 'inSla' | 'late' | 'refused' | 'abandoned' | 'failed') =>
    totals.calm[key] + totals.surge[key]
  return (
    `${name.padEnd(6)} ${progressBar(done)} ${phase} ${String(left).padStart(3)} s left  in SLA ${count('inSla')}` +
    `  late ${count('late')}  refused ${count('refused')}  abandoned ${count('abandoned')}` +
    `  failed ${count('failed')}`
  )
}
