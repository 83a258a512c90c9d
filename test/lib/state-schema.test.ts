import { describe, it } from 'vitest'
import {
  atLeastZero,
  object,
  objectWith,
  oneOf,
  optional,
  record,
  text,
} from '../../src/lib/state-schema.ts'

describe('the schema of an object', () => {
  const strict = object({ name: text, size: optional(atLeastZero) })
  const open = objectWith({ name: text, size: optional(atLeastZero) })

  it('needs every field that is not optional', ({ expect }) => {
    for (const schema of [strict, open]) {
      expect(schema({ name: 'a' })).toBe(true)
      expect(schema({ name: 'a', size: 1 })).toBe(true)
      expect(schema({ size: 1 })).toBe(false)
      expect(schema({ name: 'a', size: -1 })).toBe(false)
      expect(schema(Object.create({ name: 'inherited' }))).toBe(false)
    }
  })

  it('accepts other fields only with objectWith', ({ expect }) => {
    expect(strict({ name: 'a', more: 1 })).toBe(false)
    expect(strict(JSON.parse('{ "name": "a", "__proto__": {} }'))).toBe(false)
    expect(open({ name: 'a', more: 1 })).toBe(true)
  })

  it('accepts nothing but objects', ({ expect }) => {
    for (const value of [null, undefined, 7, 'a', [], [1]])
      for (const schema of [strict, open, objectWith({}), record(text)])
        expect(schema(value)).toBe(false)
  })
})

describe('the schema of a record', () => {
  it('checks the values of all keys', ({ expect }) => {
    expect(record(atLeastZero)({ a: 1, b: 0 })).toBe(true)
    expect(record(atLeastZero)({ a: 1, b: Number.NaN })).toBe(false)
  })
})

describe('the schema of a word', () => {
  it('accepts only the listed words, and no list with one of them', ({ expect }) => {
    expect(oneOf('value', 'density')('value')).toBe(true)
    expect(oneOf('value', 'density')('price')).toBe(false)
    expect(oneOf('value', 'density')(['value'])).toBe(false)
  })
})
