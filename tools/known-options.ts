import { parseArgs } from 'node:util'
import type { ArgsDef, CommandContext, CommandDef } from 'citty'
import { nearest } from '../src/config/errors/wording.ts'

/** Message for an option that a command does not have. */
export function unknownOption(written: string, known: readonly string[]): string {
  const meant = nearest(written.replace(/^-+/, ''), known)
  const remedy = meant === null ? '--help lists them.' : `Did you mean --${meant}?`
  return `${written}: there is no such option. ${remedy}`
}

/**
 * Messages for the words of a command line that a command with these arguments does not know. A command with one place may
 * take several words there, unless `isCounted`.
 */
export function strayWords(
  words: readonly string[],
  args: ArgsDef,
  isCounted = false,
): readonly string[] {
  const all = Object.entries(args)
  const named = all.filter(([, { type }]) => type !== 'positional')
  const known = named.map(([name]) => name)
  const isNegation = (name: string) =>
    named.some(([flag, { type }]) => type === 'boolean' && name === `no-${flag}`)
  const options = Object.fromEntries(
    named.map(([name, { type }]) => [
      name,
      { type: type === 'boolean' ? ('boolean' as const) : ('string' as const) },
    ]),
  )
  const { tokens } = parseArgs({
    args: [...words],
    options,
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  const count = all.length - named.length
  let places = count > 0 && !isCounted ? Number.POSITIVE_INFINITY : count
  const isKnown = (name: string) => known.includes(name) || isNegation(name)
  const isValueOfUnknown = (index: number) => {
    const before = tokens.find((token) => token.index === index - 1)
    return before?.kind === 'option' && !isKnown(before.name)
  }
  return tokens.flatMap((token) => {
    if (token.kind === 'option')
      return isKnown(token.name) ? [] : [unknownOption(token.rawName, known)]
    if (token.kind !== 'positional' || isValueOfUnknown(token.index)) return []
    if (places-- > 0) return []
    return [`${token.value}: expected an option.`]
  })
}

/** The same command, but it does not run if its command line has unknown words. */
export function strict<const Args extends ArgsDef>(command: CommandDef<Args>): CommandDef<Args> {
  const { args = {}, run } = command
  return {
    ...command,
    async run(context: CommandContext<Args>) {
      const stray = strayWords(context.rawArgs, args as ArgsDef)
      if (stray.length === 0) return await run?.(context)
      console.error(stray.join('\n'))
      process.exitCode = 1
    },
  }
}

/** The same for a command with subcommands: nothing may stand before the name of the subcommand. */
export function strictGroup(group: CommandDef): CommandDef {
  return {
    ...group,
    setup({ rawArgs }) {
      const name = rawArgs.findIndex((word) => !word.startsWith('-'))
      const stray = strayWords(name < 0 ? rawArgs : rawArgs.slice(0, name), {})
      if (stray.length === 0) return
      console.error(stray.join('\n'))
      process.exit(1)
    },
  }
}
