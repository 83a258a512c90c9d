import type { OperatorAction } from '../src/coordinator/operator/action.ts'
import { type ActionRequest, api, type ShownStatus } from './api.ts'
import { el, fill } from './dom.ts'

type Kind = OperatorAction['action']

interface Field {
  readonly name: string
  readonly label: string
  /** Words to choose from; absent: a number. */
  readonly options?: readonly string[]
  readonly value: string
}

interface Form {
  readonly title: string
  readonly help: string
  readonly fields: readonly Field[]
  /** The sentence that the operator confirms. */
  sentence(values: Readonly<Record<string, string>>): string
  request(values: Readonly<Record<string, string>>): OperatorAction
  /** It cannot end by itself. */
  readonly isLasting?: boolean
}

const DURATIONS: readonly (readonly [seconds: number, text: string])[] = [
  [0, 'until it is taken back'],
  [300, 'for 5 minutes'],
  [1800, 'for 30 minutes'],
  [7200, 'for 2 hours'],
  [43_200, 'for 12 hours'],
  [86_400, 'for a day'],
]

export const ACTIONS: readonly (readonly [kind: Kind, label: string])[] = [
  ['mode', 'Mode'],
  ['limit', 'Fix the limit'],
  ['target', 'Target'],
  ['value', 'Value of a class'],
  ['guaranteed', 'Guarantee'],
  ['capacity', 'Capacity changed'],
  ['forget', 'Forget'],
]

function formOf(kind: Kind, { name, granularity, mode, now, plan }: ShownStatus): Form {
  const unit = granularity === 'session' ? 'new sessions/s' : 'requests/s'
  const classes = Object.keys(plan?.classes ?? {})
  const classField: Field = {
    name: 'class',
    label: 'Class',
    options: classes,
    value: classes[0] ?? '',
  }
  const number = (label: string, value: number | string): Field => ({
    name: 'number',
    label,
    value: String(value),
  })
  switch (kind) {
    case 'mode':
      return {
        title: 'Mode',
        help: 'enforce: refuse what does not fit. observe: decide and count, but let everybody in. off: do nothing.',
        fields: [
          {
            name: 'mode',
            label: 'Mode',
            options: ['enforce', 'observe', 'off'],
            value: mode === 'enforce' ? 'observe' : 'enforce',
          },
        ],
        sentence: (v) => `Route ${name} goes to ${v.mode}.`,
        request: (v) => ({ action: 'mode', mode: v.mode as 'enforce' | 'observe' | 'off' }),
      }
    case 'limit':
      return {
        title: 'Fix the limit',
        help: 'The learner goes on learning, but this limit holds for all routes of the origin.',
        fields: [number(`Limit (${unit})`, now?.limit?.toFixed(1) ?? '')],
        sentence: (v) => `At most ${v.number} ${unit} are admitted.`,
        request: (v) => ({ action: 'limit', limit: Number(v.number) }),
      }
    case 'target':
      return {
        title: 'Target',
        help: 'The response time that the route promises. The learner steers to it.',
        fields: [number('Target (ms)', plan?.targetMs ?? now?.targetMs ?? '')],
        sentence: (v) => `The target of route ${name} is ${v.number} ms.`,
        request: (v) => ({ action: 'target', targetMs: Number(v.number) }),
      }
    case 'value':
      return {
        title: 'Value of a class',
        help: 'More valuable classes are admitted first.',
        fields: [classField, number('Value', '')],
        sentence: (v) => `Class ${v.class} has the value ${v.number}.`,
        request: (v) => ({ action: 'value', class: v.class!, value: Number(v.number) }),
      }
    case 'guaranteed':
      return {
        title: 'Guarantee',
        help: 'This rate of the class is admitted whatever the load is.',
        fields: [classField, number(`Guaranteed (${unit})`, '')],
        sentence: (v) => `${v.number} ${unit} of class ${v.class} are guaranteed.`,
        request: (v) => ({ action: 'guaranteed', class: v.class!, guaranteed: Number(v.number) }),
      }
    case 'capacity':
      return {
        title: 'Capacity changed',
        help: 'Tell the learner that the origin has more or fewer servers. It scales what it knows. Any unit will do.',
        fields: [
          { name: 'before', label: 'Before', value: '4' },
          { name: 'number', label: 'After', value: '8' },
        ],
        sentence: (v) => `The capacity of the origin goes from ${v.before} to ${v.number}.`,
        request: (v) => ({ action: 'capacity', before: Number(v.before), after: Number(v.number) }),
      }
    case 'forget':
      return {
        title: 'Forget what was learned',
        help: 'The learner starts from scratch, as after the first deployment. This can be taken back.',
        fields: [],
        sentence: () => 'What was learned about this origin is forgotten.',
        request: () => ({ action: 'forget' }),
        isLasting: true,
      }
  }
}

/** Asks for the details of an action, shows the sentence to confirm, and carries it out. */
export function openAction(kind: Kind, status: ShownStatus, done: () => void): void {
  const form = formOf(kind, status)
  const inputs = new Map(form.fields.map((field) => [field.name, inputOf(field)]))
  const duration = el(
    'select',
    { name: 'duration' },
    ...DURATIONS.map(([seconds, text]) => el('option', { value: seconds }, text)),
  )
  const note = el('input', { name: 'note', maxlength: 200, autocomplete: 'off' })
  const sentence = el('p', { class: 'confirm', 'aria-live': 'polite' })
  const failure = el('p', { class: 'failure', role: 'alert' })
  const values = (): Record<string, string> =>
    Object.fromEntries([...inputs].map(([name, input]) => [name, input.value]))
  const update = (): void => {
    const [seconds] = [Number(duration.value)]
    const length = DURATIONS.find(([value]) => value === seconds)![1]
    fill(sentence, form.sentence(values()), form.isLasting ? null : ` It holds ${length}.`)
  }
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault()
    const forS = Number(duration.value)
    const request: ActionRequest = {
      ...form.request(values()),
      ...(forS > 0 && !form.isLasting ? { forS } : {}),
      ...(note.value === '' ? {} : { note: note.value }),
    }
    try {
      await api.act(status.name, request)
      dialog.close()
      done()
    } catch (error) {
      fill(failure, error instanceof Error ? error.message : String(error))
    }
  }
  const dialog = el(
    'dialog',
    { 'aria-label': form.title, onclose: () => dialog.remove() },
    el(
      'form',
      { oninput: update, onsubmit: (event) => void submit(event) },
      el('h2', {}, form.title),
      el('p', { class: 'muted' }, form.help),
      ...form.fields.map(({ name, label }) => el('label', {}, label, inputs.get(name)!)),
      form.isLasting ? null : el('label', {}, 'How long', duration),
      el('label', {}, 'Why (for the audit log)', note),
      sentence,
      failure,
      el(
        'div',
        { class: 'buttons' },
        el('button', { type: 'button', onclick: () => dialog.close() }, 'Cancel'),
        el('button', { type: 'submit', class: 'primary' }, 'Confirm'),
      ),
    ),
  )
  document.body.append(dialog)
  update()
  dialog.showModal()
}

function inputOf({ name, options, value }: Field): HTMLInputElement | HTMLSelectElement {
  if (options === undefined)
    return el('input', { name, type: 'number', step: 'any', min: 0, required: true, value })
  return el(
    'select',
    { name },
    ...options.map((option) => el('option', { value: option, selected: option === value }, option)),
  )
}
