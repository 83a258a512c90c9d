import { describe, it } from 'vitest'
import { TwoGenerationCache } from '../../src/lib/two-generation-cache.ts'

describe('a cache with two generations', () => {
  it('keeps at least the last 100', ({ expect }) => {
    const recent = new TwoGenerationCache<string, number>(100)
    for (let i = 0; i < 1000; i++) recent.set(`key ${i}`, i)
    for (let i = 999; i >= 900; i--) expect(recent.get(`key ${i}`)).toBe(i)
  })

  it('keeps at most 200', ({ expect }) => {
    const recent = new TwoGenerationCache<string, number>(100)
    for (let i = 0; i < 1000; i++) recent.set(`key ${i}`, i)
    for (let i = 0; i < 800; i++) expect(recent.get(`key ${i}`)).toBeUndefined()
  })

  it('keeps an entry as long as it is used', ({ expect }) => {
    const recent = new TwoGenerationCache<string, number>(100)
    recent.set('asked for', 7)
    for (let i = 0; i < 1000; i++) {
      recent.set(`key ${i}`, i)
      expect(recent.get('asked for')).toBe(7)
    }
  })
})
