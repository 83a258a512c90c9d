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
  'SECURITY.md',
  'bench/NOTES.md',
  ...['docs', 'docs/design'].flatMap((folder) =>
    readdirSync(join(ROOT, folder)).flatMap((name) =>
      name.endsWith('.md') ? [`${folder}/${name}`] : [],
    ),
  ),
  ...readdirSync(join(ROOT, 'examples')).map((name) => `examples/${name}/README.md`),
]

const read = (page: string): string => readFileSync(join(ROOT, page), 'utf8')

/** A heading's name in an address, as GitHub makes it. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-')

function hasAnchor(page: string, anchor: string): boolean {
  const text = read(page).replace(/```.*?```/gs, '')
  if (text.includes(`<a id="${anchor}"`)) return true
  const anchors = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading]) => anchorOf(heading!))
  // The second heading with the same text ends in -1.
  return anchors.some((name) => name === anchor || anchor.match(/^(.*)-\d+$/)?.[1] === name)
}

/** Links to files or to headings that are not there. */
function missingLinks(page: string): readonly string[] {
  return [...read(page).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link]) => link!)
    .filter((link) => {
      if (link.startsWith('http')) return false
      const [file = '', anchor] = link.split('#')
      const target = file === '' ? page : join(dirname(page), file)
      if (!existsSync(join(ROOT, target))) return true
      return anchor !== undefined && target.endsWith('.md') && !hasAnchor(target, anchor)
    })
}

/** Files by their paths in the repository: src/gate/gate.ts. */
function missingFiles(page: string): readonly string[] {
  const names =
    /\b((?:src|durable-objects|lab|bench|tools|test|docs|cli|dashboard)\/[\w./-]+\.(?:ts|md|json|svg))\b/g
  return [...read(page).matchAll(names)]
    .map(([, file]) => file!)
    .filter((file) => !existsSync(join(ROOT, file)) && !existsSync(join(ROOT, dirname(page), file)))
}

function section(title: string): readonly string[] {
  const [, text] = read(ARCHITECTURE).split(`\n## ${title}\n`)
  return text!.split('\n## ')[0]!.split('\n')
}

describe('the pages for people', () => {
  it.for(PAGES)('%s links to files and headings that exist', (page, { expect }) => {
    expect(missingLinks(page)).toEqual([])
  })

  it.for(PAGES)('%s names files that exist', (page, { expect }) => {
    expect(missingFiles(page)).toEqual([])
  })
})

describe(ARCHITECTURE, () => {
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
