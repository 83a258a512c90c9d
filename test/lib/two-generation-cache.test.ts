import { describe, it } from 'vitest'
import { TwoGenerationCache } from '../../src/lib/two-generation-cache.ts'

describe('what was told recently', () => {
  it('is remembered: at least the last 100', ({ expect }) => {
    const recent = new TwoGenerationCache<string, number>(100)
    for (let i = 0; i < 1000; i++) recent.set(`key ${i}`, i)
    for (let i = 999; i >= 900; i--) expect(recent.get(`key ${i}`)).toBe(i)
  })

  it('is forgotten in the end: at most twice 100 are held', ({ expect }) => {
    const recent = new TwoGenerationCache<string, number>(100)
    for (let i = 0; i < 1000; i++) recent.set(`key ${i}`, i)
    for (let i = 0; i < 800; i++) expect(recent.get(`key ${i}`)).toBeUndefined()
  })

  it('stays as long as it is asked for', ({ expect }) => {
    const recent = new TwoGenerationCache<string, number>(100)
    recent.set('asked for', 7)
    for (let i = 0; i < 1000; i++) {
      recent.set(`key ${i}`, i)
      expect(recent.get('asked for')).toBe(7)
    }
  })
})
