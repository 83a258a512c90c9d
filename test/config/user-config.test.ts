import { readFileSync } from 'node:fs'
import { parseSync } from 'rolldown/utils'
import type { InferInput } from 'valibot'
import { describe, expectTypeOf, it } from 'vitest'
import { type middlewareSchema, proxySchema } from '../../src/config/schema/schema.ts'
import type { TidegateConfig } from '../../src/config/user-config.ts'
import { jsonSchemaOf } from '../../tools/json-schema.ts'
import { objectsOf } from '../support/configuration-page.ts'

/** Without the differences that do not matter: readonly, and undefined for a key that is not there. */
type Plain<T> = T extends readonly (infer Item)[]
  ? Plain<Item>[]
  : T extends object
    ? { -readonly [Key in keyof T]: Plain<Exclude<T[Key], undefined>> }
    : T

/** The schema takes any learner and any options: they are checked against the learners' tables later. */
type AnyLearner<T extends { routes: object[] }> = Omit<T, 'routes'> & {
  routes: Omit<T['routes'][number], 'learner'>[]
}

type Written = AnyLearner<Plain<TidegateConfig>>
type Schema = AnyLearner<Plain<InferInput<typeof middlewareSchema>>>
type WrittenLearner = NonNullable<TidegateConfig['routes'][number]['learner']>

// Checked by the compiler: `npm run types`.
describe('the types that the editor sees and the schema', () => {
  it('allow the same', () => {
    expectTypeOf<Written>().toExtend<Schema>()
    expectTypeOf<Schema>().toExtend<Written>()
  })

  it('know the learners and their options', () => {
    expectTypeOf<'soc-lqr'>().toExtend<WrittenLearner>()
    expectTypeOf<'soc_lqr'>().not.toExtend<WrittenLearner>()
    expectTypeOf<{ name: 'aimd'; smoothing: 0.5; multiclass: true }>().toExtend<WrittenLearner>()
    expectTypeOf<{ name: 'aimd'; smoothing: '0.5' }>().not.toExtend<WrittenLearner>()
    expectTypeOf<{ name: 'amid' }>().not.toExtend<WrittenLearner>()
    // @ts-expect-error: aimd has no such option.
    const misspelt: WrittenLearner = { name: 'aimd', smothing: 0.5 }
    void misspelt
  })
})

/** The comment of each key, by interface: what an editor shows for a configuration in TypeScript. */
function commentsOf(file: string): [string, Readonly<Record<string, string | undefined>>][] {
  const source = readFileSync(new URL(`../../src/config/${file}`, import.meta.url), 'utf8')
  const { program, comments } = parseSync(file, source)
  const before = (start: number) => comments.findLast(({ end }) => end < start)
  return program.body.flatMap((statement) => {
    const one = statement.type === 'ExportNamedDeclaration' ? statement.declaration : null
    if (one?.type !== 'TSInterfaceDeclaration') return []
    const keys = one.body.body.flatMap((key) =>
      key.type === 'TSPropertySignature' && key.key.type === 'Identifier'
        ? [[key.key.name, before(key.start)?.value.slice(1).trim()]]
        : [],
    )
    return [[one.id.name, Object.fromEntries(keys)] as [string, Record<string, string>]]
  })
}

const comments = new Map(
  ['user-config.ts', 'user-config-when-full.ts', 'user-config-capacity.ts'].flatMap(commentsOf),
)

describe('what an editor shows', () => {
  it.for([...objectsOf(jsonSchemaOf(proxySchema))])(
    'is the same in TypeScript and in JSON: %s',
    ([title, { properties }], { expect }) => {
      const described = Object.entries(properties!).flatMap(([key, property]) =>
        typeof property === 'object' && property.description !== undefined
          ? [[key, property.description]]
          : [],
      )
      expect(comments.get(title)).toEqual(Object.fromEntries(described))
    },
  )
})
