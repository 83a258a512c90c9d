import { readFile, writeFile } from 'node:fs/promises'
import { DEFAULT_LEARNER } from '../src/config/defaults.ts'
import type { Option, OptionTable } from '../src/lib/option-table.ts'
import { replaceBetween } from './marked-text.ts'

const WRITER = 'written by `npm run config -- docs`'

type Learners = Readonly<Record<string, { readonly text: string; readonly options: OptionTable }>>

/** The pages of `docs` with tables of the learners' options, and the function that fills each one. */
export const PAGES = [
  { file: 'configuration.md', fill: withLearners },
  { file: 'learners.md', fill: withOptions },
] as const

const urlOf = (file: string): URL => new URL(`../docs/${file}`, import.meta.url)

export const readPage = (file: string): Promise<string> => readFile(urlOf(file), 'utf8')

/** Writes the learners' option tables into the documentation. */
export async function writeDocs(learners: Learners): Promise<void> {
  for (const { file, fill } of PAGES) {
    await writeFile(urlOf(file), fill(await readPage(file), learners))
  }
}

/** The page with the tables of all learners between its two marks. */
export function withLearners(page: string, learners: Learners): string {
  const text = Object.entries(learners)
    .map(([name, { text, options }]) => `### \`${name}\`\n\n${text}\n\n${optionsText(options)}`)
    .join('\n')
  return replaceBetween(page, `<!-- learners: ${WRITER} -->`, '<!-- end of learners -->', text)
}

/** The page with the table of each learner in its own section, and with the name of the default learner. */
export function withOptions(page: string, learners: Learners): string {
  const named = replaceBetween(
    page,
    `<!-- default: ${WRITER} -->`,
    '<!-- end of default -->',
    `A route that names no learner gets \`${DEFAULT_LEARNER}\`.\n`,
  )
  return Object.entries(learners).reduce(
    (filled, [name, { options }]) =>
      replaceBetween(
        filled,
        `<!-- options of ${name}: ${WRITER} -->`,
        `<!-- end of options of ${name} -->`,
        optionsText(options),
      ),
    named,
  )
}

function optionsText(table: OptionTable): string {
  const rows = Object.entries(table).map(
    ([key, option]) =>
      `| \`${key}\` | \`${option.default}\` | ${rangeOf(option)} | ${cell(option.text)} | ${cell(option.source)} |`,
  )
  const head = ['| option | default | range | what it does | where the default is from |']
  return [...head, '|---|---|---|---|---|', ...rows, ''].join('\n')
}

function rangeOf(option: Option): string {
  if (option.kind === 'boolean') return '`true` or `false`'
  const { min, max, above, below } = option
  const from = above !== undefined ? `above ${above}` : min !== undefined ? `from ${min}` : ''
  const to = below !== undefined ? `below ${below}` : max !== undefined ? `up to ${max}` : ''
  return [from, to].filter(Boolean).join(', ') || 'any number'
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ')
