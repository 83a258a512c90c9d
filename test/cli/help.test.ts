import { describe, it } from 'vitest'
import { findCommands } from '../../cli/commands.ts'
import { commandHelp, mainHelp } from '../../cli/help.ts'

const commands = findCommands()

describe('the help of tidegate', () => {
  it('lists every command, in the order in which a newcomer needs them', async ({ expect }) => {
    const names = [...(await mainHelp(commands)).matchAll(/^ {2}([a-z-]+) {2}/gm)].map(
      ([, name]) => name!,
    )
    expect(names.slice(0, 4)).toEqual(['init', 'check', 'dev', 'deploy'])
    expect(names.toSorted()).toEqual(commands.names.toSorted())
  })

  it.for(commands.names)('has examples for %s, and --json', async (name, { expect }) => {
    const found = await commands.load(name)
    const help = commandHelp(name, found)
    expect(help).toContain(`Usage: tidegate ${name}`)
    expect(help).toContain(`Examples:\n  tidegate ${name}`)
    if (!found.isForeign) expect(help).toContain('--json')
    for (const { line } of found.examples) expect(line.split(' ')[0]).toBe(name)
  })
})
