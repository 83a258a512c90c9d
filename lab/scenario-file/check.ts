import * as v from 'valibot'
import {
  type Fault,
  fault,
  isSound,
  type Problem,
  pathText,
} from '../../src/config/errors/problem.ts'
import { found, quote } from '../../src/config/errors/wording.ts'
import { faultsOf } from '../../src/config/schema/explain.ts'
import { type ParsedScenario, scenarioSchema } from './schema.ts'

export type Checked =
  | { readonly ok: true; readonly scenario: ParsedScenario }
  | { readonly ok: false; readonly problems: readonly Problem[] }

/** Checks what a user wrote. It reports all problems at once and never throws. */
export function checkScenario(input: unknown): Checked {
  const result = v.safeParse(scenarioSchema, input, { abortPipeEarly: true })
  const faults = faultsOf(result.issues)
  const contradictions = CHECKS.filter(({ needs }) =>
    needs.every((key) => isSound(faults, [key])),
  ).flatMap(({ check }) => [...check(result.output as ParsedScenario)])
  if (result.success && contradictions.length === 0) return { ok: true, scenario: result.output }
  return { ok: false, problems: [...faults, ...contradictions].map(problemOf) }
}

/** A contradiction. It is looked for only when the keys that it needs have no faults of their own. */
interface Check {
  readonly needs: readonly (keyof ParsedScenario)[]
  check(scenario: ParsedScenario): Iterable<Fault>
}

const CHECKS: readonly Check[] = [
  { needs: ['seconds', 'measureFromSeconds', 'sla'], check: checkMeasured },
  { needs: ['seconds', 'changes'], check: checkChanges },
  { needs: ['arrivals'], check: checkArrivals },
  { needs: ['visitors', 'granularity', 'session'], check: checkVisitors },
  { needs: ['classes'], check: checkClasses },
  { needs: ['origin'], check: checkOrigin },
]

export function problemOf(fault: Fault): Problem {
  const path = fault.path.length === 0 ? 'scenario' : pathText(fault.path)
  return { ...fault, path, route: null }
}

function* checkMeasured({ seconds, measureFromSeconds, sla }: ParsedScenario) {
  if (measureFromSeconds >= seconds) {
    const expected = `less than seconds, which is ${seconds}`
    yield fault(
      ['measureFromSeconds'],
      expected,
      found(measureFromSeconds),
      'Write an earlier one.',
    )
  }
  if (sla.windowMs > (seconds - measureFromSeconds) * 1000) {
    const lengthMs = (seconds - measureFromSeconds) * 1000
    const expected = `at most the measured time, which is ${lengthMs} milliseconds`
    yield fault(
      ['sla', 'windowMs'],
      expected,
      found(sla.windowMs),
      `Write ${Math.min(60_000, Math.max(1000, lengthMs))}.`,
    )
  }
}

function* checkChanges({ seconds, changes }: ParsedScenario) {
  for (const [i, { atS, servers, speed, withinS }] of changes.entries()) {
    const path = ['changes', i]
    if (atS > seconds) {
      yield fault(
        [...path, 'atS'],
        `at most seconds, which is ${seconds}`,
        found(atS),
        'Write an earlier one.',
      )
    }
    if (servers === undefined && speed === undefined) {
      yield fault(
        path,
        'servers or speed',
        'neither',
        'Write for example { "atS": 600, "servers": 4 }.',
      )
    }
    if (withinS !== undefined && (speed === undefined || servers !== undefined)) {
      yield fault(
        [...path, 'withinS'],
        'a change of speed alone',
        found(withinS),
        'Write speed, or leave it out.',
      )
    }
  }
}

const FORMS = ['rate', 'steps', 'flashCrowd', 'day', 'bursts', 'trace', 'log'] as const

function* checkArrivals({ arrivals }: ParsedScenario) {
  const given = FORMS.filter((form) => arrivals[form] !== undefined)
  if (given.length !== 1) {
    const shown = given.length === 0 ? 'none' : given.map(quote).join(' and ')
    const expected = `exactly one of ${FORMS.join(', ')}`
    yield fault(['arrivals'], expected, shown, 'Write for example { "rate": 20 }.')
  }
  for (const [i, [second]] of (arrivals.steps ?? []).entries()) {
    const previous = i === 0 ? undefined : arrivals.steps![i - 1]![0]
    const isRight = previous === undefined ? second === 0 : second > previous
    if (isRight) continue
    const expected = previous === undefined ? 'the second 0 first' : `a second after ${previous}`
    yield fault(
      ['arrivals', 'steps', i, 0],
      expected,
      found(second),
      `Write ${(previous ?? -1) + 1}.`,
    )
  }
  const crowd = arrivals.flashCrowd
  if (crowd !== undefined && crowd.peak <= crowd.base) {
    const expected = `more than base, which is ${crowd.base}`
    yield fault(
      ['arrivals', 'flashCrowd', 'peak'],
      expected,
      found(crowd.peak),
      'Write a higher one.',
    )
  }
}

function* checkVisitors({ visitors, granularity, session }: ParsedScenario) {
  const { retryAtOnce, retryAsTold } = visitors
  if (retryAtOnce + retryAsTold > 1) {
    const expected = `at most ${1 - retryAtOnce}, since retryAtOnce is ${retryAtOnce}`
    yield fault(
      ['visitors', 'retryAsTold'],
      expected,
      found(retryAsTold),
      'Both are parts of all visitors.',
    )
  }
  if (granularity === 'request' && session !== undefined) {
    const remedy = 'Leave it out, or write "granularity": "session".'
    yield fault(['session'], 'nothing, since granularity is "request"', found(session), remedy)
  }
}

function* checkClasses({ classes }: ParsedScenario) {
  if (classes === undefined) return
  const sum = classes.reduce((total, { part }) => total + part, 0)
  if (Math.abs(sum - 1) > 1e-6) {
    const shown = `parts that make ${Number(sum.toFixed(6))}`
    yield fault(['classes'], 'parts that make 1 together', shown, 'Change the parts.')
  }
  for (const [i, { name, value }] of classes.entries()) {
    if (classes.findIndex((other) => other.name === name) < i) {
      yield fault(['classes', i, 'name'], 'each name once', found(name), 'Write another name.')
    }
    if (i > 0 && value > classes[i - 1]!.value) {
      const expected = `at most ${classes[i - 1]!.value}, the value of the class before`
      yield fault(
        ['classes', i, 'value'],
        expected,
        found(value),
        'Write the most valuable class first.',
      )
    }
  }
}

function* checkOrigin({ origin }: ParsedScenario) {
  const { order, thrashesAbove, wastesWork, serviceMs } = origin
  if (thrashesAbove !== undefined && order !== 'sharing') {
    const remedy = 'Write "order": "sharing", or leave it out.'
    yield fault(
      ['origin', 'thrashesAbove'],
      'nothing unless order is "sharing"',
      found(thrashesAbove),
      remedy,
    )
  }
  if (wastesWork && order === 'sharing') {
    const remedy = 'Leave it out: with "sharing" every request is finished.'
    yield fault(['origin', 'wastesWork'], 'nothing where order is "sharing"', 'true', remedy)
  }
  if (typeof serviceMs !== 'object') return
  const { kind, meanMs, valuesMs } = serviceMs
  if (kind === 'data' && valuesMs === undefined) {
    const remedy = 'Write for example [12, 15, 80].'
    yield fault(
      ['origin', 'serviceMs', 'valuesMs'],
      'measured values, since kind is "data"',
      'nothing',
      remedy,
    )
  }
  if (kind !== 'data' && meanMs === undefined) {
    const remedy = 'Write for example 40.'
    yield fault(['origin', 'serviceMs', 'meanMs'], 'the mean (milliseconds)', 'nothing', remedy)
  }
}
