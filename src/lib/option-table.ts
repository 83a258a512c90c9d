/**
 * A learner's options as data: one table gives the defaults, the ranges, the error texts, the JSON Schema
 * and the documentation. Rates are per second; a name that holds time ends in `Ms`.
 */
export interface NumberOption {
  readonly kind: 'number'
  readonly default: number
  /** Range, ends included unless said by `above` or `below`. */
  readonly min?: number
  readonly max?: number
  readonly above?: number
  readonly below?: number
  /** What it does, in one sentence. */
  readonly text: string
  /** Where the default comes from. */
  readonly source: string
}

export interface BooleanOption {
  readonly kind: 'boolean'
  readonly default: boolean
  readonly text: string
  readonly source: string
}

export type Option = NumberOption | BooleanOption
export type OptionTable = Readonly<Record<string, Option>>

/** The values of a table's options, all there. */
export type OptionValues<Table extends OptionTable> = {
  readonly [Name in keyof Table]: Table[Name] extends NumberOption ? number : boolean
}

/** The defaults, overlaid with what was given; the config has checked the ranges before. */
export function resolveOptions<const Table extends OptionTable>(
  table: Table,
  given: Readonly<Record<string, unknown>> = {},
): OptionValues<Table> {
  const values: Record<string, unknown> = {}
  for (const [name, option] of Object.entries(table)) values[name] = given[name] ?? option.default
  return values as OptionValues<Table>
}
