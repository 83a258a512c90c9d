import { existsSync, readFileSync } from 'node:fs'
import { describe, it } from 'vitest'

const HOME = new URL('../../examples/coordinator-server/', import.meta.url)
const text = readFileSync(new URL('Dockerfile', HOME), 'utf8')

/** The instructions, with continued lines joined and comments left out. */
const instructions = text
  .replaceAll(/^#.*\n/gm, '')
  .replaceAll(/\\\n\s*/g, '')
  .split('\n')
  .filter((line) => line.trim() !== '')
  .map((line) => {
    const [, name, rest] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? []
    return { name: name ?? line, rest: rest ?? '' }
  })
const of = (name: string): readonly string[] =>
  instructions.filter((one) => one.name === name).map(({ rest }) => rest)

describe('the container file of the coordinator', () => {
  it('has known instructions only', ({ expect }) => {
    const known = 'FROM ENV WORKDIR COPY RUN VOLUME USER EXPOSE HEALTHCHECK CMD'.split(' ')
    expect(instructions.map(({ name }) => name).filter((name) => !known.includes(name))).toEqual([])
  })

  it('starts from one version of Node that runs the example', ({ expect }) => {
    const [, major, minor] = /^node:(\d+)\.(\d+)\.\d+-/.exec(of('FROM')[0]!) ?? []
    expect(Number(major) * 100 + Number(minor)).toBeGreaterThanOrEqual(2218)
  })

  it('copies what is there, and what `npm pack` makes', ({ expect }) => {
    const sources = of('COPY').flatMap((rest) => rest.split(/\s+/).slice(0, -1))
    const missing = sources.filter((source) => !existsSync(new URL(source, HOME)))
    expect(missing).toEqual(['tidegate.tgz'])
    const ignored = readFileSync(new URL('.dockerignore', HOME), 'utf8')
    for (const source of sources) expect(ignored).toContain(`!${source}`)
  })

  it('runs no script of a package, and not as root', ({ expect }) => {
    expect(of('RUN').join()).toContain('--ignore-scripts')
    const names = instructions.map(({ name }) => name)
    expect(of('USER')).toEqual(['node'])
    expect(names.indexOf('USER')).toBeLessThan(names.indexOf('CMD'))
    expect(names.lastIndexOf('RUN')).toBeLessThan(names.indexOf('USER'))
  })

  it('has commands without a shell, and a folder that stays', ({ expect }) => {
    for (const line of [...of('CMD'), of('HEALTHCHECK')[0]!.replace(/^.*? CMD /, '')])
      expect(JSON.parse(line)[0]).toBe('node')
    const data = /DATA=(\S+)/.exec(of('ENV')[0]!)?.[1]
    expect(of('VOLUME')).toEqual([data])
    expect(of('RUN').join()).toContain(`chown node:node ${data}`)
  })
})
