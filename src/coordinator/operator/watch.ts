import type { EventKind } from './records.ts'
import { amountText, timesText } from './wording.ts'

/** A surge begins after this many ticks with it, and ends after this many ms without. */
const TICKS_TO_BEGIN = 2
const MS_TO_END = 10_000
/** Fewer refusals than this part of the offered, or than this many per second, are no surge. */
const SURGE_PART = 0.01
const SURGE_RATE = 0.5

/** What is watched for events, from tick to tick: a plain JSON value. */
export interface WatchState {
  readonly setupId: string | null
  readonly down: readonly string[]
  readonly isOvercommitted: boolean
  readonly isCapacityNew: boolean
  readonly limit: number | null
  /** By route. Calm routes are absent. */
  readonly surges: Readonly<Record<string, SurgeWatch>>
}

interface SurgeWatch {
  /** Ticks with refusals in a row, until the surge has begun; null: it has begun. */
  readonly ticks: number | null
  readonly sinceMs: number
  readonly lastMs: number
  /** Not admitted at once so far, or in `observe` not to be admitted. */
  readonly refused: number
}

export const NOTHING_WATCHED: WatchState = {
  ...{ setupId: null, down: [], isOvercommitted: false, isCapacityNew: false, limit: null },
  surges: {},
}

/** What a tick shows. */
export interface WatchedTick {
  readonly atMs: number
  readonly setupId: string
  readonly down: readonly string[]
  readonly isOvercommitted: boolean
  /** Does the learner say that the capacity has changed? */
  readonly isCapacityNew: boolean
  /** In the unit of the learner. */
  readonly limit: number | null
  readonly routes: readonly WatchedRoute[]
}

interface WatchedRoute {
  readonly name: string
  readonly seconds: number
  /** Rates per second. */
  readonly offered: number
  /** Refused for lack of capacity, or in `observe` to be refused. */
  readonly surplus: number
  readonly limit: number | null
}

export interface WatchedEvent {
  readonly kind: EventKind
  readonly route: string | null
  readonly text: string
}

/** What has begun, ended or changed with this tick. */
export function watchAfter(
  before: WatchState,
  tick: WatchedTick,
): { readonly state: WatchState; readonly events: readonly WatchedEvent[] } {
  const events: WatchedEvent[] = []
  const tell = (kind: EventKind, text: string, route: string | null = null): void => {
    events.push({ kind, route, text })
  }
  if (before.setupId !== null && before.setupId !== tick.setupId)
    tell('configuration', 'A new configuration is in force.')
  for (const url of tick.down)
    if (!before.down.includes(url)) tell('server-down', `The server ${url} does not answer.`)
  for (const url of before.down)
    if (!tick.down.includes(url)) tell('server-up', `The server ${url} answers again.`)
  if (tick.isOvercommitted && !before.isOvercommitted)
    tell('overcommitted', 'The guarantees use up the whole limit: no other request is admitted.')
  if (tick.isCapacityNew && !before.isCapacityNew)
    tell('capacity-changed', capacityText(before.limit, tick.limit))
  const surges: Record<string, SurgeWatch> = {}
  for (const route of tick.routes) {
    const { watch, event } = surgeAfter(before.surges[route.name], route, tick.atMs)
    if (watch !== null) surges[route.name] = watch
    if (event !== null) events.push(event)
  }
  const { setupId, down, isOvercommitted, isCapacityNew, limit } = tick
  return { state: { setupId, down, isOvercommitted, isCapacityNew, limit, surges }, events }
}

function capacityText(before: number | null, after: number | null): string {
  if (before === null || after === null || before === after)
    return 'The capacity of the origin has changed.'
  return `The capacity of the origin has changed: the limit goes from ${amountText(before)} to ${amountText(after)} per second.`
}

function surgeAfter(
  before: SurgeWatch | undefined,
  route: WatchedRoute,
  atMs: number,
): { readonly watch: SurgeWatch | null; readonly event: WatchedEvent | null } {
  const { name, offered, surplus, seconds } = route
  const refused = (before?.refused ?? 0) + surplus * seconds
  if (surplus > SURGE_RATE && surplus > SURGE_PART * offered) {
    const sinceMs = before?.sinceMs ?? atMs
    const ticks = before === undefined ? 1 : before.ticks === null ? null : before.ticks + 1
    const hasBegun = ticks === null || ticks >= TICKS_TO_BEGIN
    const watch = { ticks: hasBegun ? null : ticks, sinceMs, lastMs: atMs, refused }
    const isNew = hasBegun && ticks !== null
    return { watch, event: isNew ? surgeBegan(route) : null }
  }
  if (before === undefined || before.ticks !== null) return { watch: null, event: null }
  if (atMs - before.lastMs < MS_TO_END) return { watch: { ...before, refused }, event: null }
  const lastedS = Math.round((before.lastMs - before.sinceMs) / 1000)
  const text = `The surge is over after ${durationText(lastedS)}. ${amountText(before.refused)} did not get in at once.`
  return { watch: null, event: { kind: 'surge-ended', route: name, text } }
}

function surgeBegan({ name, offered, limit }: WatchedRoute): WatchedEvent {
  const pressure = limit !== null && limit > 0 ? offered / limit : 0
  const size = pressure >= 1.05 ? `${timesText(pressure)} the limit` : 'more than fits'
  const text = `A surge began: ${amountText(offered)} ask per second, ${size}.`
  return { kind: 'surge-began', route: name, text }
}

export function durationText(seconds: number): string {
  if (seconds < 120) return `${seconds} s`
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`
}
