import type { CapacityEvent } from '../../learners/learner-interface.ts'
import type { CoordinatorCore } from '../coordinator-core.ts'
import { isOverride, type Operator, type OperatorAction, type OverrideChange } from './action.ts'
import { actionText, endText, settingOf, undoText, valueBefore } from './action-texts.ts'
import type { ActRequest } from './desk-messages.ts'
import { nextEndMs, type Override, overrideKey, setupWith, unended } from './override.ts'
import type { AuditEntry } from './records.ts'
import type { OperatorStore } from './store.ts'

/** Older overrides of the same kind that can come into force again. */
const MOST_PER_KEY = 5
const MOST_OVERRIDES = 500
/** Capacity changes that can be undone. */
const MOST_CHANGES = 20

/** A capacity change that can be undone, or that ends by itself. */
interface OpenChange extends CapacityEvent {
  readonly id: string
  readonly route: string
  readonly by: string
  readonly untilMs: number | null
}

/** What is stored: a plain JSON value. */
interface OpenActions {
  readonly version: 1
  readonly overrides: readonly Override[]
  readonly changes: readonly OpenChange[]
}

const KEY = 'actions'
/** What the learner knew before it was told to forget, under a key of its own because it may be large. */
const FORGOTTEN = 'forgotten'

export type Recorded = Omit<AuditEntry, 'atMs' | 'origin'>
export type ActionResult = Recorded | { readonly status: 400 | 404 | 409; readonly detail: string }

/** What operators did to an origin and what of it still holds. It survives restarts and deployments. */
export class Actions {
  readonly #core: CoordinatorCore
  readonly #store: OperatorStore
  #open: OpenActions

  constructor(core: CoordinatorCore, store: OperatorStore, nowMs: number) {
    this.#core = core
    this.#store = store
    const stored = store.value(KEY) as OpenActions | undefined
    this.#open = stored?.version === 1 ? stored : { version: 1, overrides: [], changes: [] }
    if (this.#open.overrides.length > 0) core.override(this.#open.overrides, nowMs)
  }

  /** Can the action with this id be taken back? */
  isUndoable(id: string): boolean {
    const { overrides, changes } = this.#open
    return [...overrides, ...changes].some((one) => one.id === id) || this.#forgotten()?.id === id
  }

  act(
    id: string,
    { route, action, forMs, note, operator, setup }: ActRequest,
    nowMs: number,
  ): ActionResult {
    this.#core.introduce(setup)
    const problem = this.#problemOf(route, action)
    if (problem !== null) return problem
    const untilMs = forMs === null ? null : nowMs + forMs
    const configured = this.#core.state!.setup
    const inForce = setupWith(configured, unended(this.#open.overrides, nowMs))
    const from = valueBefore(action, route, inForce, this.#open.overrides, this.#core.plan)
    if (isOverride(action)) this.#override(id, route, action, operator, untilMs, nowMs)
    else if (action.action === 'capacity')
      this.#change({ id, route, by: operator.by, untilMs, ...action }, nowMs)
    else this.#store.setValue(FORGOTTEN, { id, learner: this.#core.relearn(undefined, nowMs) })
    return {
      ...{ id, route, kind: action.action, ...operator, from, to: settingOf(action), untilMs },
      ...('class' in action ? { class: action.class } : {}),
      text: actionText(action, operator.by, from, forMs),
      ...(note === null ? {} : { note }),
    }
  }

  undo(id: string, undone: string, operator: Operator, nowMs: number): ActionResult {
    const { overrides, changes } = this.#open
    const override = overrides.find((one) => one.id === undone)
    const change = changes.find((one) => one.id === undone)
    const common = { id, kind: 'undo' as const, ...operator, untilMs: null, undoes: undone }
    if (override !== undefined) {
      this.#save({ overrides: overrides.filter((one) => one !== override) })
      this.#core.override(this.#open.overrides, nowMs)
      return {
        ...common,
        ...this.#ended(override, nowMs),
        text: undoText(override.change, operator.by),
      }
    }
    if (change !== undefined) {
      this.#save({ changes: changes.filter((one) => one !== change) })
      this.#announce({ before: change.after, after: change.before }, nowMs)
      const text = undoText({ action: 'capacity', ...change }, operator.by)
      return { ...common, route: change.route, from: change.after, to: change.before, text }
    }
    return this.#recall(common, operator, nowMs)
  }

  /** When the next of them ends by itself; infinity: none does. */
  get nextEndMs(): number {
    const { overrides, changes } = this.#open
    return nextEndMs([...overrides, ...changes])
  }

  /** What has ended by itself, as entries of the audit log without an id. */
  end(nowMs: number): readonly Omit<Recorded, 'id'>[] {
    const { overrides, changes } = this.#open
    const isOver = ({ untilMs }: { readonly untilMs: number | null }): boolean =>
      untilMs !== null && untilMs <= nowMs
    const [over, past] = [overrides.filter(isOver), changes.filter(isOver)]
    if (over.length + past.length === 0) return []
    this.#save({
      overrides: unended(overrides, nowMs),
      changes: changes.filter((one) => !isOver(one)),
    })
    if (over.length > 0) this.#core.override(this.#open.overrides, nowMs)
    for (const { before, after } of past) this.#announce({ before: after, after: before }, nowMs)
    const common = { kind: 'end', via: 'timer', untilMs: null } as const
    return [
      ...over.map((one) => ({
        ...{ ...common, ...this.#ended(one, nowMs), by: one.by, undoes: one.id },
        text: endText(one.change, one.by),
      })),
      ...past.map((one) => ({
        ...{ ...common, route: one.route, by: one.by, undoes: one.id },
        ...{ from: one.after, to: one.before },
        text: endText({ action: 'capacity', ...one }, one.by),
      })),
    ]
  }

  #override(
    id: string,
    route: string,
    change: OverrideChange,
    { by }: Operator,
    untilMs: number | null,
    nowMs: number,
  ): void {
    const added: Override = { id, route, change, by, sinceMs: nowMs, untilMs }
    const key = overrideKey(added)
    const same = this.#open.overrides.filter((one) => overrideKey(one) === key)
    const dropped = same.slice(0, Math.max(0, same.length - MOST_PER_KEY + 1))
    const kept = this.#open.overrides.filter((one) => !dropped.includes(one))
    this.#save({ overrides: [...kept, added] })
    this.#core.override(this.#open.overrides, nowMs)
  }

  #change(change: OpenChange, nowMs: number): void {
    const { id, route, by, untilMs, before, after } = change
    const changes = [...this.#open.changes, { id, route, by, untilMs, before, after }]
    this.#save({ changes: changes.slice(-MOST_CHANGES) })
    this.#announce({ before, after }, nowMs)
  }

  /** The next tick obeys it. The new plan ends the calm, in which that tick may be some seconds away. */
  #announce(event: CapacityEvent, nowMs: number): void {
    this.#core.announce(event)
    this.#core.replan(nowMs)
  }

  #recall(
    common: Omit<Recorded, 'route' | 'from' | 'to' | 'text'>,
    { by }: Operator,
    nowMs: number,
  ): ActionResult {
    const forgotten = this.#forgotten()
    if (forgotten === null || forgotten.id !== common.undoes)
      return {
        status: 409,
        detail: 'There is nothing to undo: it has ended, or it was undone before.',
      }
    this.#core.relearn(forgotten.learner, nowMs)
    this.#store.setValue(FORGOTTEN, null)
    const route = this.#core.state!.setup.routes[0]!.name
    const text = undoText({ action: 'forget' }, by)
    return { ...common, route, from: null, to: null, text }
  }

  #forgotten(): { readonly id: string; readonly learner: unknown } | null {
    return (this.#store.value(FORGOTTEN) as { id: string; learner: unknown } | null) ?? null
  }

  /** What holds instead of an override that is gone. */
  #ended({ route, change }: Override, nowMs: number) {
    const setup = setupWith(this.#core.state!.setup, unended(this.#open.overrides, nowMs))
    const to = valueBefore(change, route, setup, this.#open.overrides, this.#core.plan)
    return {
      ...{ route, from: settingOf(change), to },
      ...('class' in change ? { class: change.class } : {}),
    }
  }

  #problemOf(name: string, action: OperatorAction): Exclude<ActionResult, Recorded> | null {
    const route = this.#core.state?.setup.routes.find((one) => one.name === name)
    if (route === undefined)
      return { status: 404, detail: `The coordinator knows no route "${name}" yet.` }
    if ('class' in action && !route.classes.some((one) => one.name === action.class)) {
      const known = route.classes.map((one) => `"${one.name}"`).join(', ')
      return { status: 400, detail: `class: expected one of ${known}, found "${action.class}".` }
    }
    if (isOverride(action) && this.#open.overrides.length >= MOST_OVERRIDES)
      return {
        status: 409,
        detail: `There are ${MOST_OVERRIDES} overrides already. Undo some first.`,
      }
    return null
  }

  #save(changed: Partial<OpenActions>): void {
    this.#open = { ...this.#open, ...changed }
    this.#store.setValue(KEY, this.#open)
  }
}
