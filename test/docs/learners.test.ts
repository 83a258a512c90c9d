import { readdirSync } from 'node:fs'
import { is } from 'valibot'
import { describe, it } from 'vitest'
import { OPERATIONS } from '../../src/admin/api/operations.ts'
import { ACTION_BODY } from '../../src/admin/api/requests.ts'
import { loadConfig } from '../../src/config/load.ts'
import { CoordinatorCore } from '../../src/coordinator/coordinator-core.ts'
import { createLearner, LEARNER_OPTIONS, LEARNERS } from '../../src/learners/registry.ts'
import type { OptionTable } from '../../src/lib/option-table.ts'
import { feedbackOf, setupOf } from '../support/feedback.ts'
import { histogramOf } from '../support/histogram.ts'
import { codeIn, PAGE, rowsOf, sectionOf, snippetOf } from '../support/learners-page.ts'

const names = Object.keys(LEARNERS)
const tables: Readonly<Record<string, OptionTable>> = LEARNER_OPTIONS
const options = Object.entries(tables).flatMap(([name, table]) =>
  Object.entries(table).map(([key, option]) => ({ name, key, option })),
)

describe('docs/learners.md: the learners', () => {
  it('says of every learner when to use it', ({ expect }) => {
    const chosen = rowsOf(sectionOf('Which to choose')).flatMap(([learner]) => codeIn(learner!))
    expect(new Set(chosen.filter((word) => word !== 'multiclass'))).toEqual(new Set(names))
  })

  it.for(names)('explains %s, and shows it on the day of the crowd', (name, { expect }) => {
    expect(sectionOf(`\`${name}\``)).toContain(`(images/learners/${name}.svg)`)
  })

  it.for(options)(
    'has the option $key of $name with its default, its text and its source',
    ({ name, key, option }, { expect }) => {
      const row = rowsOf(sectionOf(`\`${name}\``)).find(([first]) => first === `\`${key}\``)!
      const [, standard, , text, source] = row
      expect(standard).toBe(`\`${option.default}\``)
      expect(text).toBe(option.text)
      expect(source).toBe(option.source)
    },
  )

  it('lists no unknown option', ({ expect }) => {
    for (const name of names) {
      const rows = rowsOf(sectionOf(`\`${name}\``)).filter((row) => row.length === 5)
      expect(rows.map(([key]) => codeIn(key!)[0])).toEqual(Object.keys(tables[name]!))
    }
  })

  it('has a result for every learner', ({ expect }) => {
    const rows = rowsOf(sectionOf('Results on the same simulated day'))
    expect(rows.map(([who]) => who)).toEqual(
      expect.arrayContaining(names.map((name) => `\`${name}\``)),
    )
  })
})

describe('docs/learners.md: the pictures', () => {
  it('shows every picture of its folder, and no others', ({ expect }) => {
    const shown = [...PAGE.matchAll(/!\[[^\]]+\]\(images\/learners\/([\w-]+\.svg)\)/g)]
    const files = readdirSync(new URL('../../docs/images/learners', import.meta.url))
    expect(shown.map(([, file]) => file).toSorted()).toEqual(files.toSorted())
  })

  it('has a heading for every link into itself', ({ expect }) => {
    const anchors = [...PAGE.matchAll(/^#+ (.*)$/gm)].map(([, title]) =>
      title!
        .toLowerCase()
        .replaceAll(/[^\w\s-]/g, '')
        .replaceAll(' ', '-'),
    )
    const links = [...PAGE.matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor]) => anchor)
    expect(links.length).toBeGreaterThan(5)
    expect(anchors).toEqual(expect.arrayContaining(links))
  })
})

describe('docs/learners.md: its examples', () => {
  it('names a learner in the form that the configuration accepts', ({ expect }) => {
    const config = loadConfig(JSON.parse(snippetOf('json', '"routes"')), {
      origin: 'required',
      learners: LEARNER_OPTIONS,
    })
    expect(config.routes[0]!.learner).toMatchObject({ name: 'aimd', options: { fastBelow: -0.2 } })
  })

  it('shows only fields that the admin API has', ({ expect }) => {
    const core = new CoordinatorCore()
    const counts = { offered: 9, admitted: 9, requests: 9, served: 9, latency: histogramOf([20]) }
    core.handle(feedbackOf({ shop: { default: counts } }, { setup: setupOf() }), 1000)
    core.tick(1000)
    const status = JSON.parse(JSON.stringify(core.status()[0]))
    const shown = JSON.parse(snippetOf('json', '"lastMinute"'))
    expect(pathsOf(status)).toEqual(expect.arrayContaining([...pathsOf(shown)]))
  })

  it('quotes the log message for a state that does not fit', ({ expect }) => {
    const { note } = createLearner({ name: 'aimd', options: {} }, 'damaged')
    expect(snippetOf('text', 'scratch').trim()).toBe(note)
  })

  it('announces capacity with the path and the body of the admin API', ({ expect }) => {
    const snippet = snippetOf('sh', 'capacity')
    expect(snippet).toContain(OPERATIONS.act.path.replace(':route', 'shop'))
    const body: unknown = JSON.parse(/-d '(.*)'/.exec(snippet)![1]!)
    expect(body).toEqual({ action: 'capacity', before: 20, after: 12 })
    expect(is(ACTION_BODY, body)).toBe(true)
  })
})

/** The paths of all values, such as `plan.limit`. */
function pathsOf(value: unknown, path = ''): readonly string[] {
  if (typeof value !== 'object' || value === null) return [path]
  return Object.entries(value).flatMap(([key, part]) => [
    `${path}.${key}`,
    ...pathsOf(part, `${path}.${key}`),
  ])
}
