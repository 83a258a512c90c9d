import type { OriginSnapshot } from '../../coordinator/operator/snapshot.ts'
import { FAMILIES } from './families.ts'

/** The metrics of all origins in the text format of Prometheus. */
export function metricsText(snapshots: readonly OriginSnapshot[]): string {
  const lines: string[] = []
  for (const { name, type, help, samples } of FAMILIES) {
    lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`)
    for (const snapshot of snapshots)
      for (const { suffix = '', labels, value } of samples(snapshot))
        lines.push(`${name}${suffix}${labelsText(labels)} ${valueText(value)}`)
  }
  return `${lines.join('\n')}\n`
}

function labelsText(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

const escaped = (value: string): string =>
  value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')

function valueText(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf'
  return String(value)
}
