import { readFileSync } from 'node:fs'

/** docs/learners.md, for the tests that check it against the code. */
export const PAGE = readFileSync(new URL('../../docs/learners.md', import.meta.url), 'utf8')

/** The text under a second-level heading, up to the next one. */
export function sectionOf(title: string): string {
  const [, section] = PAGE.split(`\n## ${title}\n`)
  if (section === undefined) throw new Error(`docs/learners.md has no heading "## ${title}".`)
  return section.split('\n## ')[0]!
}

/** The cells of all table rows in a text, without headers and rules. */
export function rowsOf(text: string): readonly (readonly string[])[] {
  return text
    .split('\n')
    .filter((line, i, lines) => line.startsWith('|') && !isRule(line) && !isRule(lines[i + 1]))
    .map((line) =>
      line
        .split(/(?<!\\)\|/)
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
}

const isRule = (line: string | undefined): boolean => /^[|\s-]+$/.test(line ?? 'end')

/** The words in back quotes. */
export function codeIn(text: string): readonly string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map((match) => match[1]!)
}

export function snippetOf(kind: string, holds: string): string {
  for (const [, found, text] of PAGE.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)) {
    if (found === kind && text!.includes(holds)) return text!
  }
  throw new Error(`docs/learners.md has no ${kind} snippet with "${holds}".`)
}
