import { readdirSync, readFileSync } from 'node:fs'
import { describe, it } from 'vitest'
import { FUZZ_INPUTS } from '../support/fuzz.ts'

const folder = new URL('.', import.meta.url)
const sources = readdirSync(folder).map((name) => readFileSync(new URL(name, folder), 'utf8'))

describe('the inputs of the fuzzers', () => {
  it('are at least 100,000 together, and every parser of the table gets its own', ({ expect }) => {
    const counts = Object.values<number>(FUZZ_INPUTS)
    expect(counts.reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(100_000)
    for (const target of Object.keys(FUZZ_INPUTS)) {
      const users = sources.filter((source) => source.match(new RegExp(`fuzz\\(\\s*'${target}'`)))
      expect(users.length, target).toBe(1)
    }
  })
})
