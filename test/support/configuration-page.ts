import { readFileSync } from 'node:fs'
import type { JsonSchema } from '@valibot/to-json-schema'
import { partsOf } from '../../tools/json-schema.ts'

/** docs/configuration.md, and its tables and snippets for the tests that compare them with the code. */
export const PAGE = readFileSync(new URL('../../docs/configuration.md', import.meta.url), 'utf8')

export interface Row {
  readonly key: string
  readonly type: string
  readonly standard: string
  readonly range: string
}

/** The objects of a JSON Schema by title, which is the name of the interface in user-config.ts. */
export function objectsOf(schema: JsonSchema, all = new Map<string, JsonSchema>()) {
  if (schema.properties && schema.title) all.set(schema.title, schema)
  for (const part of partsOf(schema)) objectsOf(part, all)
  return all
}

/** The tables of keys, by the interface in the heading before. */
export function tablesOf(page: string): ReadonlyMap<string, readonly Row[]> {
  const tables = new Map<string, Row[]>()
  let title: string | null = null
  for (const line of page.split('\n')) {
    if (line.startsWith('#')) title = /`(\w+Config)`$/.exec(line)?.[1] ?? null
    const [, key, type, standard, range] = /^\| `(\$?\w+)` (.*) \|$/.test(line) ? cellsOf(line) : []
    if (title === null || key === undefined) continue
    const row = { key: key.replaceAll('`', ''), type: type!, standard: standard!, range: range! }
    tables.set(title, [...(tables.get(title) ?? []), row])
  }
  return tables
}

const cellsOf = (line: string): readonly string[] => line.split('|').map((cell) => cell.trim())

export interface Snippet {
  /** The text after the three backticks: `ts`, `json`, `ts wrong`, … */
  readonly kind: string
  readonly text: string
  readonly line: number
}

export function snippetsOf(page: string): readonly Snippet[] {
  return [...page.matchAll(/^```(.*)\n([\s\S]*?)^```$/gm)].map((match) => ({
    kind: match[1]!,
    text: match[2]!,
    line: page.slice(0, match.index).split('\n').length,
  }))
}
