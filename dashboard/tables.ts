import { CAPACITY_REASONS } from '../src/coordinator/capacity/answer.ts'
import type { AuditEntry, OriginEvent } from '../src/coordinator/operator/records.ts'
import type { ShownStatus, VerdictLine } from './api.ts'
import { el } from './dom.ts'
import { milliseconds, moment, percent, rate } from './format.ts'
import { phaseText, type RoomEvent } from './room-events.ts'

type Cell = Node | string

function table(
  caption: string,
  head: readonly string[],
  rows: readonly (readonly Cell[])[],
  width: '' | 'wide' = '',
) {
  return el(
    'section',
    { class: width === '' ? 'card' : 'card wide' },
    el('h3', {}, caption),
    rows.length === 0
      ? el('p', { class: 'muted' }, 'Nothing yet.')
      : el(
          'div',
          { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': caption },
          el(
            'table',
            { class: head.length > 3 ? 'many' : null },
            el('thead', {}, el('tr', {}, ...head.map((text) => el('th', { scope: 'col' }, text)))),
            el(
              'tbody',
              {},
              ...rows.map((cells) =>
                el('tr', {}, ...cells.map((cell, i) => el('td', { 'data-label': head[i]! }, cell))),
              ),
            ),
          ),
        ),
  )
}

/** A bar with its figure beside it, so that nobody has to estimate its length. */
function share(part: number): Node {
  const width = Math.max(0, Math.min(100, 100 * part))
  return el(
    'span',
    { class: 'share' },
    el('meter', { min: 0, max: 100, value: width.toFixed(1), 'aria-label': 'share' }),
    percent(part),
  )
}

/** Who gets in, by class: the figures of the last minute. */
export function classTable({ lastMinute, plan }: ShownStatus): Node {
  const rows = Object.entries(lastMinute?.classes ?? {}).map(([name, figures]) => {
    const planned = plan?.classes[name]
    return [
      name,
      rate(figures.offered),
      rate(figures.admitted),
      rate(figures.refused),
      share(figures.offered > 0 ? figures.admitted / figures.offered : 1),
      planned ? rate(planned.guaranteed) : '–',
      planned?.targetMs === undefined
        ? milliseconds(figures.p95Ms)
        : `${milliseconds(figures.p95Ms)} (target ${milliseconds(planned.targetMs)})`,
    ]
  })
  return table(
    'Classes, last minute (per second)',
    ['class', 'offered', 'admitted', 'refused', 'gets in', 'guaranteed', 'p95'],
    rows,
    'wide',
  )
}

/** The waiting rooms of the classes, and whether the estimates shown to people came true. */
export function queueTable({ queues = {} }: ShownStatus): Node {
  return table(
    'Waiting room',
    ['class', 'waiting', 'first page', 'enter/s', 'leave/s', 'estimates kept'],
    Object.entries(queues).map(([name, { waiting, fresh, rate: enter, leaving, promises }]) => [
      name,
      rate(waiting),
      rate(fresh),
      rate(enter),
      rate(leaving * waiting),
      share(promises.kept),
    ]),
  )
}

/** The events of the waiting room, in the time zone of the reader. */
export function roomEventTable(events: readonly RoomEvent[], nowMs: number): Node {
  const time = (ms: number | null): string => (ms === null ? '–' : moment(ms, nowMs))
  return table(
    'Events of the waiting room',
    ['event', 'opens', 'closes', 'until', 'now', 'made by'],
    events.map((event) => [
      event.name,
      time(event.opensMs),
      time(event.closesMs),
      time(event.reopensMs),
      phaseText(event, events, nowMs),
      event.source === 'config' ? 'the configuration' : 'an operator',
    ]),
    'wide',
  )
}

/** How many servers each tier needs, why, and how far ahead this looks. */
export function capacityTable({ capacity }: ShownStatus): Node {
  const why = capacity === undefined ? '' : CAPACITY_REASONS[capacity.reason]
  const minutes = rate((capacity?.horizonS ?? 0) / 60)
  return table(
    `Servers needed in the next ${minutes} min: ${why}`,
    ['tier', 'now', 'desired', 'most', 'known from'],
    Object.entries(capacity?.tiers ?? {}).map(([tier, { current, desired, max, source }]) => [
      tier,
      rate(current),
      rate(desired),
      rate(max),
      source,
    ]),
  )
}

export function reasonTable({ lastMinute }: ShownStatus): Node {
  const { admits, refusals, waits, degrades, redirects } = lastMinute ?? {}
  const verdicts = { admit: admits, refuse: refusals, queue: waits, degrade: degrades }
  const rows = Object.entries({ ...verdicts, redirect: redirects })
    .flatMap(([verdict, counts = {}]) =>
      Object.entries(counts).map(([reason, perSecond]) => [verdict, reason, perSecond] as const),
    )
    .filter(([, , perSecond]) => perSecond > 0)
    .sort((a, b) => b[2] - a[2])
    .map(([verdict, reason, perSecond]) => [
      verdict,
      el('a', { href: `/_tidegate/reasons#${reason}` }, reason),
      rate(perSecond),
    ])
  return table('Verdicts and reasons, last minute', ['verdict', 'reason', 'per second'], rows)
}

export function serverTable({ servers }: ShownStatus): Node {
  return table(
    'Servers of the pool',
    ['server', 'weight', 'state'],
    servers.map(({ url, weight, isDown }) => [
      url,
      rate(weight),
      isDown ? '✗ does not answer' : '✓ answers',
    ]),
  )
}

export function dataCentreTable({ dataCentres }: ShownStatus): Node {
  return table(
    'Data centres',
    ['data centre', 'share', 'offered/s', 'last report'],
    dataCentres.map(({ name, share: part, offered, reportedMsAgo }) => [
      name,
      share(part),
      rate(offered),
      `${(reportedMsAgo / 1000).toFixed(0)} s ago`,
    ]),
  )
}

export function eventTable(events: readonly OriginEvent[], nowMs: number): Node {
  return table(
    'What happened',
    ['when', 'event'],
    events.map(({ atMs, text }) => [moment(atMs, nowMs), text]),
  )
}

export function auditTable(entries: readonly AuditEntry[], nowMs: number): Node {
  return table(
    'What operators did',
    ['when', 'who', 'what', 'note'],
    entries.map(({ atMs, by, text, note }) => [moment(atMs, nowMs), by, text, note ?? '']),
  )
}

export function verdictTable(verdicts: readonly VerdictLine[], nowMs: number): Node {
  return table(
    'Recent verdicts (a sample)',
    ['when', 'class', 'verdict', 'reason', 'id'],
    verdicts.map(({ atMs, class: name, verdict, reason, id }) => [
      moment(atMs, nowMs),
      name ?? '–',
      verdict,
      reason,
      el('code', {}, id),
    ]),
    'wide',
  )
}
