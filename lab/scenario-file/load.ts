import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { type Problem, problemsText } from '../../src/config/problem.ts'
import { quote } from '../../src/config/words.ts'
import { rateTrace, TraceError } from '../clients/trace.ts'
import { checkScenario, problemOf } from './check.ts'
import type { Content } from './contest.ts'

/** A scenario file that cannot be used; the message is the full text for the user. */
export class ScenarioError extends Error {
  override readonly name = 'ScenarioError'
}

/** Reads a scenario file and what it names, and checks both. */
export async function loadScenario(file: string): Promise<Content> {
  const checked = checkScenario(await readJson(file))
  if (!checked.ok)
    throw new ScenarioError(`${file}: ${problemsText(checked.problems, 'the scenario')}`)
  const { scenario } = checked
  if (scenario.arrivals.trace === undefined) return { scenario }
  const trace = await readTrace(file, scenario.arrivals.trace)
  return { scenario, trace }
}

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

async function readTrace(file: string, name: string): Promise<string> {
  try {
    const csv = await readText(resolve(dirname(file), name))
    rateTrace(csv)
    return csv
  } catch (error) {
    const why = error instanceof TraceError ? error.message : `${whyNot(error as Error)}.`
    const problem: Problem = problemOf({
      path: ['arrivals', 'trace'],
      expected: 'a CSV file of seconds and rate per second',
      found: `${quote(name)}: ${why.replace(/\.$/, '')}`,
      remedy: 'Its lines are such as 600,20; the name is relative to the scenario file.',
    })
    throw new ScenarioError(`${file}: ${problemsText([problem], 'the scenario')}`, { cause: error })
  }
}

const readText = (file: string): Promise<string> => readFile(file, 'utf8')

function whyNot(error: NodeJS.ErrnoException): string {
  return error.code === 'ENOENT' ? 'there is no such file' : `it cannot be read (${error.code})`
}
