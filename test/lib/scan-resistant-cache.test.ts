import fc from 'fast-check'
import { describe, it } from 'vitest'
import { ScanResistantCache } from '../../src/lib/scan-resistant-cache.ts'

describe('a scan-resistant cache', () => {
  it('never exceeds its capacity, and has the key that was set last', ({ expect }) => {
    fc.assert(
      fc.property(fc.array(fc.nat(30)), fc.integer({ min: 2, max: 20 }), (keys, capacity) => {
        const cache = new ScanResistantCache<number>(capacity)
        keys.forEach((key, i) => {
          cache.set(`${key}`, i)
          expect(cache.get(`${key}`)).toBe(i)
        })
        const kept = [...new Set(keys)].filter((key) => cache.get(`${key}`) !== undefined)
        expect(kept.length).toBeLessThanOrEqual(capacity)
      }),
    )
  })

  it('keeps a key that was set twice while many new keys come', ({ expect }) => {
    const cache = new ScanResistantCache<number>(100)
    cache.set('regular', 1)
    cache.set('regular', 2)
    for (let i = 0; i < 10_000; i++) cache.set(`new ${i}`, i)
    expect(cache.get('regular')).toBe(2)
    expect(cache.get('new 0')).toBeUndefined()
  })
})
