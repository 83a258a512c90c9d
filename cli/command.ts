import type { ArgsDef, ParsedArgs } from 'citty'

/** What every command of `tidegate` is. To add one, put a file with a default export of `command()` into commands/. */

/** Exit codes. 0: it worked. */
export const EXIT = {
  /** The command found problems, or could not do what was asked. */
  failed: 1,
  /** The command line is wrong. */
  usage: 2,
  /** The gate cannot be reached, or does not accept the token. */
  noGate: 3,
  interrupted: 130,
} as const

/** A result for people and for programs. */
export interface Outcome {
  /** For people, on the standard output. */
  readonly text: string
  /** For programs: what `--json` prints instead. */
  readonly json: unknown
  /** Remarks for people, on the standard error. They are not printed with `--json`. */
  readonly remarks?: string
  readonly exitCode?: number
}

export interface Example {
  /** What follows `tidegate`. */
  readonly line: string
  readonly text: string
}

/** How a command prints. Tests give their own. */
export interface Output {
  readonly isTerminal: boolean
  write(text: string): void
  warn(text: string): void
}

const JSON_ARG = {
  json: { type: 'boolean', description: 'Print the result as JSON', default: false },
} as const satisfies ArgsDef

export interface CommandSpec<Args extends ArgsDef> {
  readonly description: string
  readonly examples: readonly Example[]
  readonly args: Args
  /** `words` is the command line as it was written. null: the command has printed everything itself. */
  run(
    args: ParsedArgs<Args & typeof JSON_ARG>,
    output: Output,
    words: readonly string[],
  ): Promise<Outcome | null>
}

export interface CliCommand {
  readonly description: string
  readonly examples: readonly Example[]
  readonly args: ArgsDef
  /** The words of the command line are for another program: they are not checked here. */
  readonly isForeign: boolean
  run(args: ParsedArgs, output: Output, words: readonly string[]): Promise<Outcome | null>
}

export function command<const Args extends ArgsDef>(spec: CommandSpec<Args>): CliCommand {
  const { description, examples, args, run } = spec
  return {
    description,
    examples,
    args: { ...args, ...JSON_ARG },
    isForeign: false,
    run: (parsed, output, words) => run(parsed as never, output, words),
  }
}

/** A command that passes its words on to a tool with a command line of its own. */
export function foreignCommand(
  description: string,
  examples: readonly Example[],
  load: () => Promise<unknown>,
): CliCommand {
  return {
    description,
    examples,
    args: {},
    isForeign: true,
    async run() {
      // The tool reads the words after its own name.
      process.argv.splice(2, 1)
      await load()
      return null
    },
  }
}

/** The command cannot do what was asked. The message is the full text for the user. */
export class CliError extends Error {
  override readonly name = 'CliError'
  readonly exitCode: number
  /** The same for programs. */
  readonly json: unknown

  constructor(message: string, exitCode: number = EXIT.failed, json: unknown = { error: message }) {
    super(message)
    this.exitCode = exitCode
    this.json = json
  }
}

export class UsageError extends CliError {
  constructor(message: string) {
    super(message, EXIT.usage)
  }
}
