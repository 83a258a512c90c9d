import { existsSync, readFileSync } from 'node:fs'
import { describe, it } from 'vitest'
import { FUZZ_INPUTS } from '../support/fuzz.ts'

const read = (path: string): string =>
  readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
const page = read('docs/security.md')

/** The rows of the table under a heading. */
function rowsOf(title: string): readonly string[] {
  const section = page.split(`\n## ${title}\n`)[1]!.split('\n## ')[0]!
  return section.split('\n').filter((line) => /^\| (?!what|threat|\|)/.test(line))
}

/** `test/a.test.ts`: “title”. */
const testsIn = (row: string) =>
  [...row.matchAll(/`(test\/[\w./-]+\.test\.ts)`: “([^”]+)”/g)].map(([, file, title]) => ({
    file: file!,
    title: title!,
  }))

const faults = rowsOf('Faults that were found, and stay closed')
const threats = rowsOf('Threats')

describe('docs/security.md', () => {
  it('has the 20 faults by their numbers, and each kind of threat', ({ expect }) => {
    expect(faults.map((row) => Number(row.split('|')[1]))).toEqual(
      Array.from({ length: 20 }, (_, i) => i + 1),
    )
    expect(threats.length).toBeGreaterThanOrEqual(15)
  })

  it.for([...faults, ...threats])('names tests that exist: %s', (row, { expect }) => {
    const tests = testsIn(row)
    expect(tests.length).toBeGreaterThan(0)
    // No test is named without its title.
    expect(row.match(/`test\//g)).toHaveLength(tests.length)
    for (const { file, title } of tests) {
      expect(existsSync(new URL(`../../${file}`, import.meta.url)), file).toBe(true)
      expect(read(file).includes(title), `${file}: ${title}`).toBe(true)
    }
  })

  it('has the number of inputs of the fuzzers', ({ expect }) => {
    const sum = Object.values<number>(FUZZ_INPUTS).reduce((a, b) => a + b, 0)
    expect(page).toContain(`${sum.toLocaleString('en')} inputs`)
  })
})
