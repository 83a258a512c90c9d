#!/usr/bin/env node
import { type ParsedArgs, parseArgs } from 'citty'
import { ConfigError } from '../src/config/errors/problem.ts'
import { strayWords } from '../tools/known-options.ts'
import { LoadError } from '../tools/load-config.ts'
import { packageVersion } from '../tools/package-root.ts'
import { MissingPackage } from '../tools/packages.ts'
import { type CliCommand, CliError, EXIT, type Output, UsageError } from './command.ts'
import { findCommands, unknownCommand } from './commands.ts'
import { commandHelp, mainHelp } from './help.ts'

/** `npx tidegate`, and `npm run tidegate --` in the repository. */

const OUTPUT: Output = {
  isTerminal: process.stdout.isTTY === true,
  write: (text) => void process.stdout.write(text),
  warn: (text) => void process.stderr.write(text),
}

async function main(words: readonly string[]): Promise<void> {
  const [name, ...rest] = words
  const commands = findCommands()
  if (name === '--version' || name === '-v') OUTPUT.write(`${packageVersion()}\n`)
  else if (name === undefined || name === '--help' || name === '-h' || name === 'help')
    OUTPUT.write(`${await mainHelp(commands)}\n`)
  else if (!commands.names.includes(name))
    throw new UsageError(unknownCommand(name, commands.names))
  else await runCommand(name, await commands.load(name), rest)
}

async function runCommand(name: string, found: CliCommand, words: string[]): Promise<void> {
  if (!found.isForeign && words.some((word) => word === '--help' || word === '-h')) {
    OUTPUT.write(`${commandHelp(name, found)}\n`)
    return
  }
  const outcome = await found.run(
    found.isForeign ? ({ _: words } as unknown as ParsedArgs) : read(name, found, words),
    OUTPUT,
    words,
  )
  if (outcome === null) return
  if (words.includes('--json')) OUTPUT.write(`${JSON.stringify(outcome.json, null, 2)}\n`)
  else {
    if (outcome.text !== '') OUTPUT.write(`${outcome.text}\n`)
    if (outcome.remarks) OUTPUT.warn(`\n${outcome.remarks}\n`)
  }
  if (outcome.exitCode !== undefined) process.exitCode = outcome.exitCode
}

function read(name: string, { args }: CliCommand, words: string[]): ParsedArgs {
  const stray = strayWords(words, args, true)
  if (stray.length > 0) throw new UsageError(stray.join('\n'))
  try {
    return parseArgs(words, args)
  } catch (error) {
    throw new UsageError(`${(error as Error).message}. "tidegate ${name} --help" shows examples.`)
  }
}

/** Errors that are meant for the user. Others are faults of this program and keep their stack. */
const FOR_USERS = [CliError, ConfigError, LoadError, MissingPackage]

const words = process.argv.slice(2)
try {
  await main(words)
} catch (error) {
  if (!FOR_USERS.some((kind) => error instanceof kind)) throw error
  const { message } = error as Error
  const { exitCode, json } =
    error instanceof CliError ? error : { exitCode: EXIT.failed, json: { error: message } }
  if (words.includes('--json')) OUTPUT.write(`${JSON.stringify(json, null, 2)}\n`)
  else OUTPUT.warn(`${message}\n`)
  // A command that failed may have left handles open that would keep the process alive.
  process.exit(exitCode)
}
