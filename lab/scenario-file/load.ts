import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { type Problem, problemsText } from '../../src/config/errors/problem.ts'
import { quote } from '../../src/config/errors/wording.ts'
import { rateTrace, readLog, TraceError } from '../clients/trace.ts'
import { checkScenario, problemOf } from './check.ts'
import type { Content } from './contest.ts'

/** A scenario file that cannot be used. The message is the full text for the user. */
export class ScenarioError extends Error {
  override readonly name = 'ScenarioError'
}

/** Reads a scenario file and what it names, and checks both. */
export async function loadScenario(file: string): Promise<Content> {
  const checked = checkScenario(await readJson(file))
  if (!checked.ok)
    throw new ScenarioError(`${file}: ${problemsText(checked.problems, 'the scenario')}`)
  const { scenario } = checked
  const { trace, log } = scenario.arrivals
  if (trace !== undefined) return { scenario, trace: await readBeside(file, TRACE, trace) }
  if (log === undefined) return { scenario }
  const classes = scenario.classes?.length ?? 1
  return { scenario, log: await readBeside(file, logOf(classes), log) }
}

/** A file that the scenario names. `check` throws if its content is wrong. */
interface Beside {
  readonly key: string
  readonly expected: string
  readonly remedy: string
  check(text: string): void
}

const TRACE: Beside = {
  key: 'trace',
  expected: 'a CSV file of seconds and rate per second',
  remedy: 'Its lines look like 600,20. The name is relative to the scenario file.',
  check: rateTrace,
}

const logOf = (classes: number): Beside => ({
  key: 'log',
  expected: 'an access log, or a CSV file with a column seconds',
  remedy:
    'A column class has numbers from 0 in the order of classes. The name is relative to the scenario file.',
  check(text) {
    for (const { class: klass = 0 } of readLog(text)) {
      if (!(Number.isInteger(klass) && klass >= 0 && klass < classes)) {
        throw new RangeError(`expected a class from 0 to ${classes - 1}, got ${klass}.`)
      }
    }
  },
})

async function readJson(file: string): Promise<unknown> {
  const text = await readText(file).catch((error: NodeJS.ErrnoException) => {
    throw new ScenarioError(`${file}: ${whyNot(error)}.`, { cause: error })
  })
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new ScenarioError(`${file}: this is not JSON: ${(error as Error).message}.`, {
      cause: error,
    })
  }
}

async function readBeside(file: string, beside: Beside, name: string): Promise<string> {
  try {
    const text = await readText(resolve(dirname(file), name))
    beside.check(text)
    return text
  } catch (error) {
    const isContent = error instanceof TraceError || error instanceof RangeError
    const why = isContent ? error.message : `${whyNot(error as Error)}.`
    const problem: Problem = problemOf({
      path: ['arrivals', beside.key],
      expected: beside.expected,
      found: `${quote(name)}: ${why.replace(/\.$/, '')}`,
      remedy: beside.remedy,
    })
    throw new ScenarioError(`${file}: ${problemsText([problem], 'the scenario')}`, { cause: error })
  }
}

const readText = (file: string): Promise<string> => readFile(file, 'utf8')

function whyNot(error: NodeJS.ErrnoException): string {
  return error.code === 'ENOENT' ? 'there is no such file' : `it cannot be read (${error.code})`
}
