import { existsSync, readFileSync } from 'node:fs'

/** Tables in documents that name a test for each line: `test/a.test.ts`: “title”. */

export const readDocument = (path: string): string =>
  readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

/** The rows of the table under a heading. */
export function rowsUnder(page: string, title: string): readonly string[] {
  const section = page.split(`\n## ${title}\n`)[1]!.split('\n## ')[0]!
  return section.split('\n').filter((line) => /^\| (?!what|threat|\|)/.test(line))
}

/** What is wrong with the tests that a row names; empty: nothing. */
export function problemsWith(row: string): readonly string[] {
  const tests = [...row.matchAll(/`(test\/[\w./-]+\.test\.ts)`: “([^”]+)”/g)]
  if (tests.length === 0) return ['it names no test']
  if (row.match(/`test\//g)?.length !== tests.length) return ['a test is named without its title']
  return tests.flatMap(([, file, title]) => {
    if (!existsSync(new URL(`../../${file}`, import.meta.url))) return [`there is no ${file}`]
    return readDocument(file!).includes(title!) ? [] : [`${file} has no “${title}”`]
  })
}
