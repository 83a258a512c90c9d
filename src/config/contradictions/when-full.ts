import { type Fault, fault } from '../errors/problem.ts'
import type { ParsedRoute } from '../schema/schema.ts'

/** Each step of `whenFull` needs its key, and each key its step. */
export function* checkMeans(route: ParsedRoute): Iterable<Fault> {
  const { degrade, redirect, whenFull = [], origin } = route
  yield* checkPair('degrade', degrade, '{ quality: {} }', whenFull)
  yield* checkPair('redirect', redirect, '{ to: "https://eu.example.com" }', whenFull)
  if (redirect?.forward && origin === undefined)
    yield fault(
      ['redirect', 'forward'],
      'false, because behind the middleware nothing is forwarded',
      'true',
      'Leave it out.',
    )
  if (degrade === undefined) return
  const { quality, stored, lighter } = degrade
  if (quality === null && stored === null && lighter === null)
    yield fault(
      ['degrade'],
      'at least one of quality, stored and lighter',
      '{}',
      'Write for example { quality: {} }.',
    )
  if (lighter !== null && lighter.origin === null && lighter.path === null)
    yield fault(
      ['degrade', 'lighter'],
      'an origin, a path, or both',
      '{}',
      'Write for example { path: "/lite/*" }.',
    )
  if (origin !== undefined) return
  for (const key of ['stored', 'lighter'] as const)
    if (degrade[key] !== null)
      yield fault(
        ['degrade', key],
        'nothing, because behind the middleware the handlers are the origin',
        'a value',
        'Leave it out: the handlers read the quality from c.var.tidegate.quality.',
      )
}

function* checkPair(
  step: 'degrade' | 'redirect',
  value: unknown,
  example: string,
  whenFull: NonNullable<ParsedRoute['whenFull']>,
): Iterable<Fault> {
  const isStep = whenFull.includes(step)
  if (isStep && value === undefined)
    yield fault(
      [step],
      `how, because whenFull has "${step}"`,
      'nothing',
      `Write for example ${step}: ${example}.`,
    )
  if (!isStep && value !== undefined)
    yield fault(
      [step],
      `nothing, because whenFull does not have "${step}"`,
      'a value',
      `Write whenFull: ["${step}", "refuse"], or leave it out.`,
    )
}

/** The page of a session route polls, and so can send a token. An own page needs a place for the widget. */
export function* checkTurnstile({ waitingRoom, granularity }: ParsedRoute): Iterable<Fault> {
  const { turnstile, page } = waitingRoom
  if (turnstile === null) return
  if (granularity !== 'session')
    yield fault(
      ['waitingRoom', 'turnstile'],
      'nothing, because Turnstile needs granularity: "session"',
      'a value',
      'Leave it out.',
    )
  if (page !== null && !page.includes('{{challenge}}'))
    yield fault(
      ['waitingRoom', 'page'],
      'a page with {{challenge}}, because of turnstile',
      'a page without {{challenge}}',
      'Write {{challenge}} where the page shows the widget.',
    )
}
