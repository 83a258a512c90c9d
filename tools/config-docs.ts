import { readFile, writeFile } from 'node:fs/promises'
import type { Option, OptionTable } from '../src/control/options.ts'

const DOCS = new URL('../docs/configuration.md', import.meta.url)
const START = '<!-- learners: written by `npm run config -- docs` -->'
const END = '<!-- end of learners -->'

type Learners = Readonly<Record<string, { readonly text: string; readonly options: OptionTable }>>

/** Writes the learners' tables of options into the documentation. */
export async function writeDocs(learners: Learners): Promise<void> {
  await writeFile(DOCS, withLearners(await readFile(DOCS, 'utf8'), learners))
}

/** The page with the tables of these learners between its two marks. */
export function withLearners(page: string, learners: Learners): string {
  const [before, rest = ''] = page.split(START)
  const [, after = ''] = rest.split(END)
  return `${before}${START}\n\n${learnersText(learners)}\n${END}${after}`
}

function learnersText(learners: Learners): string {
  return Object.entries(learners)
    .map(([name, { text, options }]) => `### \`${name}\`\n\n${text}\n\n${optionsText(options)}`)
    .join('\n')
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
