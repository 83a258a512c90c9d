import type { OverrideShape, Status } from '../api/shapes.ts'
import { msText, rateText, table } from './numbers.ts'

/** A route, for people. */
export function statusText(status: Status): string {
  const { name, mode, configuredMode = mode, summary, now, learner, down = [] } = status
  const changed = mode === configuredMode ? '' : `, configured ${configuredMode}`
  const lines = [
    `${name}   ${mode}${changed}   learner ${learner.name}${learner.reason ? ` (${learner.reason})` : ''}`,
  ]
  if (summary) lines.push(`  ${summary.text}`)
  if (now) {
    const limit = now.limit === null ? 'none' : `${rateText(now.limit)} ${unitOf(status)}`
    lines.push(
      `  answers p95 ${msText(now.p95Ms)} of ${msText(now.targetMs)}   in flight ${Math.round(now.inFlight)}   limit ${limit}`,
      '',
      ...classTable(status)
        .split('\n')
        .map((line) => `  ${line}`),
    )
  }
  if (down.length > 0) lines.push('', `  Servers that are down: ${down.join(', ')}`)
  lines.push(...overrideLines(status.overrides ?? []))
  return lines.join('\n')
}

const unitOf = ({ granularity }: Status): string =>
  granularity === 'session' ? 'new sessions' : 'requests'

function classTable({ now, mode }: Status): string {
  const heading = mode === 'observe' ? 'would refuse' : 'refused'
  const isWaited = (now!.queued ?? 0) > 0
  const classes = Object.entries(now!.classes)
  const all = classes.length === 1 ? [] : [['all', now!] as const]
  const rows = [...classes, ...all].map(([name, one]) => [
    name,
    rateText(one.offered),
    rateText(one.admitted),
    rateText(mode === 'observe' ? one.wouldRefuse : one.refused),
    ...(isWaited ? [rateText(one.queued ?? 0)] : []),
    rateText(one.requests),
    rateText(one.failed),
  ])
  const waited = isWaited ? ['told to wait'] : []
  return table([['class', 'asked', 'admitted', heading, ...waited, 'requests', 'failed'], ...rows])
}

function overrideLines(overrides: readonly OverrideShape[]): readonly string[] {
  if (overrides.length === 0) return []
  return [
    '',
    '  Set by operators:',
    ...overrides.map(({ id, change, by, untilMs }) => {
      const { action, route: _, ...values } = change
      const what = [action, ...Object.values(values)].filter((part) => part !== undefined).join(' ')
      const until = untilMs === null ? '' : `, until ${new Date(untilMs).toISOString()}`
      return `    ${what}   by ${by}${until}   (undo: tidegate undo ${id})`
    }),
  ]
}
