import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, it } from 'vitest'
import { strayWords } from '../../tools/known-options.ts'

const ARGS = {
  file: { type: 'positional' },
  port: { type: 'string' },
  json: { type: 'boolean' },
} as const

const { file: _, ...WITHOUT_PLACE } = ARGS

describe('a command line', () => {
  it.for([
    [['--port', '9', 'a.json', '--json']],
    [['--port=9', '--no-json']],
    [['a.json', '--', '--prot']],
    [['--port', '-1']],
    [[]],
  ] as const)('is accepted: %j', ([words], { expect }) => {
    expect(strayWords(words, ARGS)).toEqual([])
  })

  it('gets the nearest option suggested for each unknown one', ({ expect }) => {
    expect(strayWords(['--prot', '9', '--jsn', '--frobnicate', '-x'], WITHOUT_PLACE)).toEqual([
      '--prot: there is no such option. Did you mean --port?',
      '--jsn: there is no such option. Did you mean --json?',
      '--frobnicate: there is no such option. --help lists them.',
      '-x: there is no such option. --help lists them.',
    ])
    expect(strayWords(['--no-port'], ARGS)).toHaveLength(1)
  })

  it('may have a word without a dash only if the command has an argument for it', ({ expect }) => {
    expect(strayWords(['--json', 'now'], WITHOUT_PLACE)).toEqual(['now: expected an option.'])
    expect(strayWords(['a', 'b'], ARGS)).toEqual([])
    expect(strayWords(['a', 'b'], ARGS, true)).toEqual(['b: expected an option.'])
  })
})

describe('every command fails if it gets an unknown option', () => {
  it.for([
    ['cli/main.ts', ['dev', '--prot', '9'], '--port'],
    ['cli/main.ts', ['check', '--midleware', 'tidegate.config.ts'], '--middleware'],
    ['cli/main.ts', ['flood', '--secnds', '9'], '--seconds'],
    ['tools/trial.ts', ['--secnds', '9'], '--seconds'],
    ['lab/cli.ts', ['run', 'shop-calm', '--sedes', '1'], '--seeds'],
  ] as const)('%s %j', { timeout: 60_000 }, ([tool, words, meant], { expect }) => {
    const path = fileURLToPath(new URL(`../../${tool}`, import.meta.url))
    const { status, stdout, stderr } = spawnSync(process.execPath, [path, ...words], {
      encoding: 'utf8',
    })
    expect(status).toBe(words[0] === 'dev' || words[0] === 'check' ? 2 : 1)
    expect(stdout).toBe('')
    expect(stderr).toContain(`there is no such option. Did you mean ${meant}?`)
  })

  it('also before the name of a command', ({ expect }) => {
    const path = fileURLToPath(new URL('../../lab/cli.ts', import.meta.url))
    const { status, stderr } = spawnSync(process.execPath, [path, '--seeds', 'list'], {
      encoding: 'utf8',
    })
    expect(status).toBe(1)
    expect(stderr).toContain('--seeds: there is no such option.')
  })
})
