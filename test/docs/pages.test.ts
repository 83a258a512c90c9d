import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, it } from 'vitest'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const ARCHITECTURE = 'docs/architecture.md'
const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'bench/NOTES.md',
  ...readdirSync(join(ROOT, 'docs')).flatMap((name) =>
    name.endsWith('.md') ? [`docs/${name}`] : [],
  ),
  ...readdirSync(join(ROOT, 'examples')).map((name) => `examples/${name}/README.md`),
]

const read = (page: string): string => readFileSync(join(ROOT, page), 'utf8')

function missingLinks(page: string): readonly string[] {
  return [...read(page).matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)]
    .map(([, link]) => link!)
    .filter((link) => !link.startsWith('http') && !existsSync(join(ROOT, dirname(page), link)))
}

/** Files in back quotes: `src/gate/gate.ts`. */
function missingFiles(page: string): readonly string[] {
  const names = /`((?:src|durable-objects|lab|bench|tools|test|docs)\/[\w./-]+\.\w+)`/g
  return [...read(page).matchAll(names)]
    .map(([, file]) => file!)
    .filter((file) => !existsSync(join(ROOT, file)))
}

function section(title: string): readonly string[] {
  const [, text] = read(ARCHITECTURE).split(`\n## ${title}\n`)
  return text!.split('\n## ')[0]!.split('\n')
}

describe('the pages for people', () => {
  it.for(PAGES)('%s links to files that exist', (page, { expect }) => {
    expect(missingLinks(page)).toEqual([])
  })

  it.for(PAGES.filter((page) => page !== ARCHITECTURE))(
    '%s names files that exist',
    (page, { expect }) => {
      expect(missingFiles(page)).toEqual([])
    },
  )
})

describe(ARCHITECTURE, () => {
  it('names files that exist', ({ expect }) => {
    expect(missingFiles(ARCHITECTURE)).toEqual([])
  })

  it.for(['The way of a request', 'The way of a report'])(
    '%s has at most 15 steps',
    (title, { expect }) => {
      const steps = section(title).filter((line) => /^\d+\. /.test(line))
      expect(steps.length).toBeGreaterThan(5)
      expect(steps.length).toBeLessThanOrEqual(15)
    },
  )

  it('explains at most 60 words', ({ expect }) => {
    const words = section('Glossary').filter((line) => line.startsWith('| '))
    expect(words.length - 1).toBeLessThanOrEqual(60)
  })
})
