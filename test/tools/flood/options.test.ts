import fc from 'fast-check'
import { describe, it } from 'vitest'
import {
  helpText,
  loadProblem,
  MOST_REQUESTS_PER_SECOND,
  NUMBERS,
  readOptions,
} from '../../../tools/flood/options.ts'
import { isLoopback, targetProblem } from '../../../tools/flood/target.ts'

function problemsOf(...args: string[]): readonly string[] {
  const request = readOptions(args)
  return request.kind === 'problems' ? request.problems : []
}

describe('the flood’s command line', () => {
  it('needs no options: the defaults fit `npm start`', ({ expect }) => {
    expect(readOptions([])).toEqual({
      kind: 'run',
      options: {
        target: 'http://127.0.0.1:8787',
        origin: 'http://127.0.0.1:8788',
        rate: null,
        surge: 10,
        seconds: 60,
        slaMs: 1000,
        thinkMs: 1000,
        patienceMs: 3000,
        seed: 1,
        compare: false,
        retry: false,
        json: false,
        picture: null,
        paths: null,
      },
    })
  })

  it('takes every option, with a space or an equals sign', ({ expect }) => {
    const request = readOptions(
      '--target http://localhost:9000/ --origin=http://127.0.0.2:9 --rate 50.5 --surge=3 --seconds 5 --sla-ms 200 --think-ms 0 --patience-ms 400 --seed 7 --compare --retry --json --picture flood.svg --paths /,/news?page=2'.split(
        ' ',
      ),
    )
    expect(request).toEqual({
      kind: 'run',
      options: {
        target: 'http://localhost:9000',
        origin: 'http://127.0.0.2:9',
        rate: 50.5,
        surge: 3,
        seconds: 5,
        slaMs: 200,
        thinkMs: 0,
        patienceMs: 400,
        seed: 7,
        compare: true,
        retry: true,
        json: true,
        picture: 'flood.svg',
        paths: ['/', '/news?page=2'],
      },
    })
  })

  it('takes paths that start with a slash', ({ expect }) => {
    expect(problemsOf('--paths', '/a,b')).toEqual([
      '--paths: expected paths such as /,/news?page=2, got "/a,b"',
    ])
    expect(problemsOf('--paths')).toHaveLength(1)
  })

  it('reports all problems at once, each with its option, what was expected and what it got', ({
    expect,
  }) => {
    expect(
      problemsOf('now', '--surge', 'many', '--seconds=601', '--seed', '1.5', '--sped', '--json=1'),
    ).toEqual([
      'now: expected an option, such as --surge 10',
      '--sped: there is no such option. Did you mean --seed?',
      '--json: takes no value',
      '--surge: expected a number above 0 to 100, got "many"',
      '--seconds: expected a number from 1 to 600, got "601"',
      '--seed: expected a whole number from 0 to 2147483647, got "1.5"',
    ])
    expect(problemsOf('--rate')).toEqual([
      '--rate: expected a number above 0 to 10000, got nothing',
    ])
  })

  it('refuses to compare an address with itself', ({ expect }) => {
    expect(problemsOf('--compare', '--target', 'http://127.0.0.1:8788')).toHaveLength(1)
  })

  it('prints help that names every option with its default', ({ expect }) => {
    expect(readOptions(['--surge', 'many', '--help'])).toEqual({ kind: 'help' })
    for (const [name, { default: standard }] of Object.entries(NUMBERS))
      expect(helpText()).toMatch(new RegExp(`--${name} N .*\\(${standard}\\)`))
    for (const name of ['target', 'origin', 'rate', 'compare', 'retry', 'json', 'help'])
      expect(helpText()).toContain(`--${name}`)
  })

  it('limits the load: 100 times 1000 requests/s are too many', ({ expect }) => {
    expect(loadProblem(100, 10)).toBeNull()
    expect(loadProblem(MOST_REQUESTS_PER_SECOND / 10, 10)).toBeNull()
    expect(loadProblem(1000, 100)).toContain('100000 requests/s')
  })
})

describe('allowed targets', () => {
  it('are this machine, in any notation', ({ expect }) => {
    for (const host of ['127.0.0.1:80', '127.255.0.9', 'localhost:1', '[::1]:8787', '127.1'])
      expect(targetProblem(`http://${host}`)).toBeNull()
  })

  it('are nothing else: no other host, no name that looks like this machine', ({ expect }) => {
    for (const host of [
      'example.com',
      '127.0.0.1.example.com',
      'localhost.example.com',
      '10.0.0.1',
      '0.0.0.0',
      '[::2]',
      '[::ffff:8.8.8.8]',
      '127.0.0.1@example.com',
    ])
      expect(targetProblem(`http://${host}/`)).toContain('only this machine')
  })

  it('are no addresses outside 127.0.0.0/8', ({ expect }) => {
    fc.assert(
      fc.property(fc.ipV4(), (ip) => {
        expect(isLoopback(ip)).toBe(ip.startsWith('127.'))
      }),
    )
  })

  it('are http addresses without a path', ({ expect }) => {
    expect(targetProblem('127.0.0.1')).toContain('expected an address')
    expect(targetProblem('https://127.0.0.1')).toContain('expected an http: address')
    expect(targetProblem('http://127.0.0.1/shop')).toContain('Write http://127.0.0.1')
    expect(targetProblem('')).toContain('expected an address')
  })
})
