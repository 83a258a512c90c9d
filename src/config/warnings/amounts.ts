import type { Route } from '../config.ts'
import type { Path } from '../errors/problem.ts'
import { type Doubt, doubt } from './warning.ts'

/** Numbers within their range that are surely not meant: most often seconds where milliseconds are asked for. */

interface AmountRule {
  readonly path: Path
  readonly isDoubtful: boolean
  /** What happens with such a value. */
  readonly text: string
  readonly remedy: string
}

const S = 1000
const MIN = 60 * S

export function* amountDoubts(route: Route): Iterable<Doubt> {
  for (const { isDoubtful, path, text, remedy } of [...sessionRules(route), ...otherRules(route)])
    if (isDoubtful) yield doubt(path, text, remedy)
}

/** `1.8 s`, `5 min`, `2 h`. */
export function timeText(ms: number): string {
  const [amount, unit] =
    ms < S
      ? [ms, 'ms']
      : ms < 2 * MIN
        ? [ms / S, 's']
        : ms < 120 * MIN
          ? [ms / MIN, 'min']
          : [ms / (60 * MIN), 'h']
  return `${Math.round(amount * 10) / 10} ${unit}`
}

const inMs = (value: number): string =>
  `It is in milliseconds: write ${value * S} for ${timeText(value * S)}.`

function sessionRules({ granularity, session }: Route): readonly AmountRule[] {
  if (granularity !== 'session') return []
  const { idleMs, maxAgeMs } = session
  return [
    {
      path: ['session', 'idleMs'],
      isDoubtful: idleMs < MIN,
      text: `A visitor who reads a page for more than ${timeText(idleMs)} loses the session and is drawn again.`,
      remedy: inMs(idleMs),
    },
    {
      path: ['session', 'maxAgeMs'],
      isDoubtful: maxAgeMs < MIN,
      text: `Every session ends after ${timeText(maxAgeMs)}, in the middle of the visit.`,
      remedy: inMs(maxAgeMs),
    },
  ]
}

function otherRules({ sla, origin, refusal, tickMs, classes }: Route): readonly AmountRule[] {
  const isTable = sla.targets.length > 1
  const targets = sla.targets.map(({ targetMs }, i) => ({
    path: isTable ? ['sla', 'table', i, 'targetMs'] : ['sla', 'targetMs'],
    isDoubtful: targetMs < 20,
    text: `Hardly any origin answers over the internet within ${timeText(targetMs)}, so nearly everybody would be refused.`,
    remedy: inMs(targetMs),
  }))
  const guarantees = classes.map(({ guaranteed }, i) => ({
    path: ['classes', i, 'guaranteed'],
    isDoubtful: guaranteed > 10_000,
    text: `${guaranteed} per second are admitted whatever the origin can serve.`,
    remedy: 'Write what the origin can always serve, for example 5.',
  }))
  return [...targets, ...guarantees, ...rules({ sla, origin, refusal, tickMs })]
}

function rules({
  sla,
  origin,
  refusal,
  tickMs,
}: Pick<Route, 'sla' | 'origin' | 'refusal' | 'tickMs'>): readonly AmountRule[] {
  const { retryMinS, retryMaxS } = refusal
  const timeoutMs = origin?.timeoutMs ?? Number.POSITIVE_INFINITY
  const retry = (key: string, value: number, most: number): AmountRule => ({
    path: ['refusal', key],
    isDoubtful: value > most,
    text: `A refused visitor is told to wait ${timeText(value * S)}.`,
    remedy: `It is in seconds: write ${Math.max(1, Math.round(value / S))} for ${timeText(value)}.`,
  })
  return [
    {
      path: ['origin', 'timeoutMs'],
      isDoubtful: timeoutMs < 100,
      text: `Every answer that takes longer than ${timeText(timeoutMs)} is given up.`,
      remedy: inMs(timeoutMs),
    },
    {
      path: ['sla', 'percentile'],
      isDoubtful: sla.percentile < 50,
      text: `${100 - sla.percentile} of 100 requests may be late.`,
      remedy: 'Write for example 95.',
    },
    {
      path: ['sla', 'windowMs'],
      isDoubtful: sla.windowMs < 10 * S,
      text: `Within ${timeText(sla.windowMs)} there are too few answers to judge a percentile.`,
      remedy: inMs(sla.windowMs),
    },
    {
      path: ['tickMs'],
      isDoubtful: tickMs > 10 * S,
      text: `A surge would go unnoticed for ${timeText(tickMs)}.`,
      remedy: 'Write 1000, the default.',
    },
    retry('retryMinS', retryMinS, 1800),
    retry('retryMaxS', retryMaxS, 3600),
  ]
}
