import type { InferInput } from 'valibot'
import { describe, expectTypeOf, it } from 'vitest'
import type { middlewareSchema } from '../../src/config/schema/schema.ts'
import type { TidegateConfig } from '../../src/config/user-config.ts'

/** Without the differences that do not matter: readonly, and undefined for a key that is not there. */
type Plain<T> = T extends readonly (infer Item)[]
  ? Plain<Item>[]
  : T extends object
    ? { -readonly [Key in keyof T]: Plain<Exclude<T[Key], undefined>> }
    : T

type Form = Plain<TidegateConfig>
type Schema = Plain<InferInput<typeof middlewareSchema>>

// Checked by the compiler: `npm run types`.
describe('the types that the editor sees and the schema', () => {
  it('allow the same', () => {
    expectTypeOf<Form>().toExtend<Schema>()
    expectTypeOf<Schema>().toExtend<Form>()
  })
})
