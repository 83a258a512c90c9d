/**
 * A learner's options as data. Defaults, ranges, error texts, JSON Schema and documentation come from the same
 * table. Rates are per second. The name of an option that is a time ends in `Ms`.
 */
interface NumberOption {
  readonly kind: 'number'
  readonly default: number
  /** `min` and `max` include the end, `above` and `below` do not. */
  readonly min?: number
  readonly max?: number
  readonly above?: number
  readonly below?: number
  /** One sentence on what it does. */
  readonly text: string
  /** Where the default comes from. */
  readonly source: string
}

interface BooleanOption {
  readonly kind: 'boolean'
  readonly default: boolean
  readonly text: string
  readonly source: string
}

export type Option = NumberOption | BooleanOption
export type OptionTable = Readonly<Record<string, Option>>

/** A value for each option of a table. */
export type OptionValues<Table extends OptionTable> = {
  readonly [Name in keyof Table]: Table[Name] extends NumberOption ? number : boolean
}

/** The defaults, replaced by the given values. The configuration has already checked their ranges. */
export function resolveOptions<const Table extends OptionTable>(
  table: Table,
  given: Readonly<Record<string, unknown>> = {},
): OptionValues<Table> {
  const values: Record<string, unknown> = {}
  for (const [name, option] of Object.entries(table)) values[name] = given[name] ?? option.default
  return values as OptionValues<Table>
}
