import { describe, it } from 'vitest'
import { GROUPS } from '../../../tools/trial/cases.ts'
import { readTrialOptions, trialHelp } from '../../../tools/trial/options.ts'
import { listOfTrials } from '../../../tools/trial/table.ts'

function problems(...args: string[]): readonly string[] {
  const request = readTrialOptions(args)
  return request.kind === 'problems' ? request.problems : []
}

function names(...args: string[]): readonly string[] {
  const request = readTrialOptions(args)
  return request.kind === 'run' ? request.run.cases.map(({ name }) => name) : []
}

describe('the options of the trials', () => {
  it('run the first group in its own lengths by default', ({ expect }) => {
    const [{ cases }] = GROUPS as [(typeof GROUPS)[number]]
    const run = { cases, seconds: null, seed: 1, json: false }
    expect(readTrialOptions([])).toEqual({ kind: 'run', run })
  })

  it('take names of cases and groups, each case once', ({ expect }) => {
    expect(names('flash-10', 'api', 'flash-10')).toEqual(['flash-10', 'api'])
    expect(names('api', 'overload')).toHaveLength(GROUPS[0]!.cases.length)
  })

  it('take a length, a seed and --json', ({ expect }) => {
    expect(readTrialOptions(['api', '--seconds', '30', '--seed=7', '--json'])).toMatchObject({
      kind: 'run',
      run: { seconds: 30, seed: 7, json: true },
    })
  })

  it('suggest the nearest name', ({ expect }) => {
    expect(problems('flash10', 'zzzzzz')).toEqual([
      'flash10: there is no such trial. Did you mean flash-10?',
      'zzzzzz: there is no such trial. --list prints all.',
    ])
  })

  it('report all problems at once', ({ expect }) => {
    expect(problems('--seconds', '5', '--seed', 'x', '--json=1', '--lst')).toEqual([
      '--lst: there is no such option. Did you mean --list?',
      '--json: takes no value',
      '--seconds: expected a whole number from 10 to 600, got "5"',
      '--seed: expected a whole number from 0 to 2147483647, got "x"',
    ])
    expect(problems('--seconds')).toEqual([
      '--seconds: expected a whole number from 10 to 600, got nothing',
    ])
  })

  it('are all in the help, and all cases are in the list', ({ expect }) => {
    for (const option of ['--seconds', '--seed', '--json', '--list', '--help'])
      expect(trialHelp()).toContain(option)
    for (const { name, cases } of GROUPS)
      for (const text of [name, ...cases.flatMap((trial) => [trial.name, trial.text])])
        expect(listOfTrials()).toContain(text)
    expect(readTrialOptions(['--list'])).toEqual({ kind: 'list' })
    expect(readTrialOptions(['--help'])).toEqual({ kind: 'help' })
  })
})
