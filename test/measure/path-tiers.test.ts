import fc from 'fast-check'
import { describe, it } from 'vitest'
import { PathTiers } from '../../src/measure/path-tiers.ts'

/** The tier of a path whose answer had this header. */
function tierOf(header: string | null): string | null {
  const tiers = new PathTiers()
  tiers.observe('/a', header)
  return tiers.tierOf('/a')
}

describe('the tier of a path', () => {
  it('is the metric of its last answer that took the most time', ({ expect }) => {
    expect(tierOf('db;dur=30, app;dur=12')).toBe('db')
    expect(tierOf('app;desc="a, b";dur=12, db;dur=3')).toBe('app')
    expect(tierOf('db;dur=10, app;dur=12, DB;dur=5')).toBe('db')
    expect(tierOf('db;dur=10, total;dur=12')).toBe('db')
  })

  it('is unknown without the header, or where no metric took time', ({ expect }) => {
    for (const header of [null, '', 'db', 'db;dur=x', 'db;dur=-1', 'db;dur=0'])
      expect(tierOf(header)).toBe(null)
    expect(new PathTiers().tierOf('/a')).toBe(null)
  })

  it('is that of its folder until it is answered itself, but not at the top', ({ expect }) => {
    const tiers = new PathTiers()
    tiers.observe('/reports/2025', 'db;dur=900, app;dur=5')
    tiers.observe('/search', 'index;dur=300')
    expect(tiers.tierOf('/reports/2026')).toBe('db')
    expect(tiers.tierOf('/reports/2026/march')).toBe(null)
    expect(tiers.tierOf('/about')).toBe(null)
    tiers.observe('/reports/help', 'app;dur=5')
    expect(tiers.tierOf('/reports/help')).toBe('app')
    expect(tiers.tierOf('/reports/2025')).toBe('db')
  })

  it('survives any header and any path, and a scan over many paths', ({ expect }) => {
    const tiers = new PathTiers()
    const regular = () => tiers.observe('/search', 'index;dur=300')
    regular()
    regular()
    for (let i = 0; i < 20_000; i++) tiers.observe(`/scan-${i}`, 'app;dur=1')
    expect(tiers.tierOf('/search')).toBe('index')
    fc.assert(
      fc.property(fc.string(), fc.string(), (path, header) => {
        tiers.observe(path, header)
        const tier = tiers.tierOf(path)
        expect(tier === null || typeof tier === 'string').toBe(true)
      }),
    )
  })
})
