import type { JsonSchema } from '@valibot/to-json-schema'
import { describe, it } from 'vitest'
import { LEARNER_OPTIONS, LEARNERS } from '../../src/learners/registry.ts'
import { PAGES, readPage } from '../../tools/config-docs.ts'
import { configJsonSchema } from '../../tools/config-schema.ts'
import { objectsOf, PAGE, tablesOf } from '../support/configuration-page.ts'

const schema = configJsonSchema(LEARNER_OPTIONS)
const objects = objectsOf(schema)
const tables = tablesOf(PAGE)
const titles = [...objects.keys()].filter((title) => !title.startsWith('LearnerConfig'))

/** The keys that a user may write. A key that is forbidden beside another one is left out. */
const keysOf = (title: string): readonly (readonly [string, JsonSchema])[] =>
  Object.entries(objects.get(title)!.properties as Record<string, JsonSchema>).filter(
    ([, property]) => property.not === undefined,
  )

const rowOf = (title: string, key: string) => tables.get(title)!.find((row) => row.key === key)!

const keys = titles.flatMap((title) =>
  keysOf(title).map(([key, property]) => ({ title, key, property })),
)

describe('docs/configuration.md and the schema', () => {
  it('have the same objects', ({ expect }) => {
    // The config tool writes the tables of the learners' options.
    expect([...tables.keys()].sort()).toEqual([...titles, 'LearnerConfig'].sort())
    expect(titles).toHaveLength(34)
  })

  it.for(titles)('have the same keys in %s', (title, { expect }) => {
    const documented = tables.get(title)!.map(({ key }) => key)
    expect(documented.toSorted()).toEqual(
      keysOf(title)
        .map(([key]) => key)
        .toSorted(),
    )
  })

  it.for(keys)('agree on the default of $title.$key', ({ title, key, property }, { expect }) => {
    const { standard } = rowOf(title, key)
    const isRequired = objects.get(title)!.required!.includes(key)
    expect(standard === 'required').toBe(isRequired)
    if (property.default !== undefined && typeof property.default !== 'object')
      expect(standard).toBe(`\`${JSON.stringify(property.default)}\``)
    else expect(standard).toMatch(/^[a-z`][^"]*$/)
  })

  it.for(keys.filter(({ property }) => property.minimum !== undefined))(
    'agree on the range of $title.$key',
    ({ title, key, property }, { expect }) => {
      const { type, range } = rowOf(title, key)
      expect(range).toBe(`${property.minimum} to ${property.maximum}`)
      expect(type).toBe(property.type === 'integer' ? 'whole number' : 'number')
    },
  )

  it.for(keys.filter(({ property }) => property.enum !== undefined))(
    'agree on the words of $title.$key',
    ({ title, key, property }, { expect }) => {
      const words = rowOf(title, key).type.match(/`[^`]+`/g)
      expect(words).toEqual(property.enum!.map((word) => `\`${JSON.stringify(word)}\``))
    },
  )

  it.for(PAGES)(
    "agree on the learners' options in $file: `npm run config -- docs` writes them",
    async ({ file, fill }, { expect }) => {
      const page = await readPage(file)
      expect(fill(page, LEARNERS)).toBe(page)
    },
  )
})

describe('the JSON Schema', () => {
  it.for(keys)('describes $title.$key', ({ property }, { expect }) => {
    expect(property.description).toMatch(/^\S.*\.$/)
  })

  it.for(keys.filter(({ property }) => isScalar(property.default)))(
    'has the default of $title.$key in its description, which is what the editor shows',
    ({ property }, { expect }) => {
      const shown =
        typeof property.default === 'string' ? `\`${property.default}\`` : property.default
      const [, last = ''] = property.description!.split('Default: ')
      expect([`${shown}.`, `${shown} (`].some((start) => last.startsWith(start))).toBe(true)
    },
  )

  it('has the options of every learner, with their ranges', ({ expect }) => {
    const aimd = objects.get('LearnerConfig, aimd')!
    expect(Object.keys(aimd.properties!)).toEqual(['name', ...Object.keys(LEARNERS.aimd.options)])
    expect(aimd.properties!.smoothing).toMatchObject({
      type: 'number',
      default: 0.7,
      minimum: 0,
      exclusiveMaximum: 1,
    })
    expect(aimd.additionalProperties).toBe(false)
  })
})

const isScalar = (value: unknown): boolean => value !== undefined && typeof value !== 'object'
