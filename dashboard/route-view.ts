import type { AuditEntry, OriginEvent } from '../src/coordinator/operator/records.ts'
import type { TrafficPoint } from '../src/coordinator/operator/traffic-point.ts'
import { ACTIONS, openAction } from './action-dialog.ts'
import { ApiError, api, type Me, type Range, type ShownStatus, type VerdictLine } from './api.ts'
import { el, renew, setText } from './dom.ts'
import { clock, timeLeft } from './format.ts'
import { follow } from './live.ts'
import type { RoomEvent } from './room-events.ts'
import { RouteCharts } from './route-charts.ts'
import {
  auditTable,
  capacityTable,
  classTable,
  dataCentreTable,
  eventTable,
  queueTable,
  reasonTable,
  roomEventTable,
  serverTable,
  verdictTable,
} from './tables.ts'

const RANGES: readonly (readonly [range: Range, label: string])[] = [
  ['minute', 'Minute'],
  ['hour', 'Hour'],
  ['day', 'Day'],
  ['quarter', '90 days'],
]
/** The icon says the level too, for readers who do not see the colour. */
const ICONS = { idle: '○', calm: '✓', surge: '▲', trouble: '!', off: '–' } as const
const MINUTE_POINTS = 90
/** How often the longer ranges are read again. */
const HISTORY_MS = 30_000

/** Everything about one route. */
export class RouteView {
  readonly element: HTMLElement
  readonly #me: Me
  readonly #signedOut: () => void
  readonly #level = el('span', { class: 'level' })
  readonly #sentence = el('p', { class: 'sentence', role: 'status' })
  readonly #facts = el('p', { class: 'muted facts' })
  readonly #overrides = el('ul', { class: 'overrides' })
  readonly #tables = el('div', { class: 'tables' })
  readonly #logs = el('div', { class: 'tables' })
  readonly #charts: RouteCharts
  readonly #stop: () => void
  readonly #timer: number
  #range: Range = 'minute'
  #status: ShownStatus
  #points: readonly TrafficPoint[] = []
  #events: readonly OriginEvent[] = []
  #audit: readonly AuditEntry[] = []
  #verdicts: readonly VerdictLine[] = []
  #roomEvents: readonly RoomEvent[] = []

  constructor(status: ShownStatus, me: Me, signedOut: () => void) {
    this.#status = status
    this.#me = me
    this.#signedOut = signedOut
    this.#charts = new RouteCharts(status.granularity === 'session')
    this.element = this.#build()
    this.#show(status)
    void this.#readHistory()
    void this.#readLogs()
    this.#stop = follow(status.name, {
      status: (next) => this.#show(next),
      event: (event) => {
        this.#events = [event, ...this.#events.filter(({ id }) => id !== event.id)].slice(0, 30)
        void this.#readLogs()
      },
      state: (state) => document.body.setAttribute('data-connection', state),
      signedOut,
    })
    this.#timer = window.setInterval(() => {
      if (this.#range !== 'minute') void this.#readHistory()
      void this.#readLogs()
    }, HISTORY_MS)
  }

  close(): void {
    clearInterval(this.#timer)
    this.#stop()
  }

  redraw(): void {
    this.#charts.redraw()
  }

  #build(): HTMLElement {
    const { name } = this.#status
    const canAct = this.#me.role === 'write'
    return el(
      'main',
      { id: 'main', tabindex: '-1' },
      el(
        'section',
        { class: 'card summary' },
        el('h2', {}, this.#level, ` ${name}`),
        this.#sentence,
        this.#facts,
        this.#overrides,
        canAct
          ? el(
              'div',
              { class: 'buttons actions', role: 'group', 'aria-label': 'Actions' },
              ...ACTIONS.map(([kind, label]) =>
                el(
                  'button',
                  {
                    type: 'button',
                    onclick: () => openAction(kind, this.#status, () => void this.#refresh()),
                  },
                  label,
                ),
              ),
            )
          : el('p', { class: 'muted' }, 'You have a read-only token: actions need another one.'),
      ),
      this.#rangeTabs(),
      this.#charts.element,
      this.#tables,
      this.#logs,
    )
  }

  #rangeTabs(): HTMLElement {
    const tabs = el('div', {
      class: 'buttons ranges',
      role: 'group',
      'aria-label': 'Range of the charts',
    })
    for (const [range, label] of RANGES) {
      const button = el('button', { type: 'button', 'aria-pressed': range === this.#range }, label)
      button.setAttribute('aria-pressed', String(range === this.#range))
      button.addEventListener('click', () => {
        this.#range = range
        for (const other of tabs.querySelectorAll('button'))
          other.setAttribute('aria-pressed', String(other === button))
        void this.#readHistory()
      })
      tabs.append(button)
    }
    return tabs
  }

  #show(status: ShownStatus): void {
    this.#status = status
    const { summary, mode, configuredMode, learner, planAgeMs, now, origin } = status
    this.#level.className = `level ${summary.level}`
    this.#level.setAttribute('title', summary.level)
    setText(this.#level, ICONS[summary.level])
    setText(this.#sentence, summary.text)
    const isChanged = mode !== configuredMode
    const plan = planAgeMs === null ? 'no plan yet' : `plan ${(planAgeMs / 1000).toFixed(0)} s old`
    setText(
      this.#facts,
      `Mode ${mode}${isChanged ? ` (configured: ${configuredMode})` : ''} · learner ${learner.name}: ${learner.meaning || learner.reason} · ${plan} · origin ${origin}${now ? ` · ${clock(now.atMs)}` : ''}`,
    )
    this.#showOverrides(status)
    if (now !== null && this.#range === 'minute' && now.atMs !== this.#points.at(-1)?.atMs) {
      this.#points = [...this.#points, now].slice(-MINUTE_POINTS)
      this.#charts.showTraffic(this.#points)
    }
    this.#charts.showCurve(status)
    this.#showTables(status)
  }

  #showTables(status: ShownStatus): void {
    renew(
      this.#tables,
      classTable(status),
      reasonTable(status),
      status.queues !== undefined && queueTable(status),
      this.#roomEvents.length > 0 && roomEventTable(this.#roomEvents, Date.now()),
      status.capacity !== undefined && capacityTable(status),
      status.servers.length > 0 && serverTable(status),
      dataCentreTable(status),
    )
  }

  #showOverrides({ name, overrides }: ShownStatus): void {
    const nowMs = Date.now()
    renew(
      this.#overrides,
      ...overrides.map(({ id, change, by, untilMs, isCovered }) => {
        const { action, ...values } = change
        const detail = Object.values(values).join(' ')
        const end = untilMs === null ? '' : `, ends ${timeLeft(untilMs, nowMs)}`
        return el(
          'li',
          {},
          `Override: ${action} ${detail} by ${by}${end}${isCovered ? ' (a newer one holds)' : ''} `,
          this.#me.role === 'write' &&
            el(
              'button',
              {
                type: 'button',
                'data-key': id,
                onclick: () => {
                  if (confirm(`Take back: ${action} ${detail}?`))
                    void api.undo(name, id).then(() => this.#refresh())
                },
              },
              'Take back',
            ),
        )
      }),
    )
  }

  async #refresh(): Promise<void> {
    await this.#guarded(async () => {
      this.#show(await api.status(this.#status.name))
      await this.#readLogs()
    })
  }

  async #readHistory(): Promise<void> {
    const range = this.#range
    await this.#guarded(async () => {
      const { points } = await api.history(this.#status.name, range)
      if (range !== this.#range) return
      this.#points = points
      this.#charts.showTraffic(points)
    })
  }

  async #readLogs(): Promise<void> {
    const { name } = this.#status
    await this.#guarded(async () => {
      const [{ events }, { entries }, verdicts, room] = await Promise.all([
        api.events(name),
        api.audit(name),
        api.verdicts(name).catch(() => null),
        api.roomEvents(name).catch(() => null),
      ])
      this.#roomEvents = room?.events ?? []
      this.#showTables(this.#status)
      this.#events = events
      this.#audit = entries
      this.#verdicts = verdicts?.verdicts ?? []
      const nowMs = Date.now()
      renew(
        this.#logs,
        eventTable(this.#events, nowMs),
        auditTable(this.#audit, nowMs),
        verdicts !== null && verdictTable(this.#verdicts, nowMs),
      )
    })
  }

  /** A failed read is tried again with the next one. Only a lost sign-in needs the operator. */
  async #guarded(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) this.#signedOut()
    }
  }
}
