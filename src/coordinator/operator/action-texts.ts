import type { Setup } from '../../protocol/feedback.ts'
import type { Plan } from '../../protocol/plan.ts'
import type { OperatorAction, OverrideChange } from './action.ts'
import type { Override } from './override.ts'
import type { AuditValue } from './records.ts'
import { durationText } from './watch.ts'
import { amountText, timeText } from './wording.ts'

/** The sentences and values of the audit log. */

/** What an action sets. */
export function settingOf(action: OperatorAction): AuditValue {
  switch (action.action) {
    case 'mode':
      return action.mode
    case 'limit':
      return action.limit
    case 'target':
      return action.targetMs
    case 'value':
      return action.value
    case 'guaranteed':
      return action.guaranteed
    case 'capacity':
      return action.after
    case 'forget':
      return null
  }
}

/** What holds before an action, by the setup and the plan in force; null: the learner decides. */
export function valueBefore(
  action: OperatorAction,
  name: string,
  { routes }: Setup,
  overrides: readonly Override[],
  plan: Plan | null,
): AuditValue {
  const route = routes.find((one) => one.name === name)
  switch (action.action) {
    case 'mode':
      return route?.mode ?? null
    case 'limit': {
      const newest = overrides.findLast(({ change }) => change.action === 'limit')
      return newest === undefined ? null : settingOf(newest.change)
    }
    case 'target':
      // An SLA may have a table of targets.
      return plan?.routes[name]?.targetMs ?? route?.sla.targets[0]?.targetMs ?? null
    case 'value':
    case 'guaranteed':
      return route?.classes.find((one) => one.name === action.class)?.[action.action] ?? null
    case 'capacity':
      return action.before
    case 'forget':
      return null
  }
}

export function actionText(
  action: OperatorAction,
  by: string,
  from: AuditValue,
  forMs: number | null,
): string {
  const end = forMs === null ? '' : ` for ${durationText(Math.round(forMs / 1000))}`
  if (action.action === 'forget') return `${by} made the learner forget what it had learned.`
  if (action.action === 'capacity')
    return `${by} announced a change of capacity from ${amountText(action.before)} to ${amountText(action.after)}${end}.`
  const before = from === null ? '' : ` from ${setting(action, from)}`
  return `${by} set ${subject(action)}${before} to ${setting(action, settingOf(action))}${end}.`
}

export function undoText(action: OperatorAction, by: string): string {
  if (action.action === 'forget') return `${by} restored what the learner had forgotten.`
  if (action.action === 'capacity')
    return `${by} took back the change of capacity from ${amountText(action.before)} to ${amountText(action.after)}.`
  return `${by} took back the setting of ${subject(action)} to ${setting(action, settingOf(action))}.`
}

export function endText(action: OverrideChange | CapacityChange, by: string): string {
  if (action.action === 'capacity')
    return `The change of capacity from ${amountText(action.before)} to ${amountText(action.after)} by ${by} has ended.`
  return `The setting of ${subject(action)} to ${setting(action, settingOf(action))} by ${by} has ended.`
}

type CapacityChange = Extract<OperatorAction, { readonly action: 'capacity' }>

function subject(change: OverrideChange): string {
  switch (change.action) {
    case 'mode':
      return 'the mode'
    case 'limit':
      return 'a fixed limit'
    case 'target':
      return 'the target'
    case 'value':
      return `the value of ${change.class}`
    case 'guaranteed':
      return `the guarantee of ${change.class}`
  }
}

function setting({ action }: OverrideChange, value: AuditValue): string {
  if (typeof value !== 'number') return String(value)
  if (action === 'target') return timeText(value)
  return action === 'value' ? amountText(value) : `${amountText(value)}/s`
}
