import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, it } from 'vitest'
import { amountText, money } from '../../cli/commands/cost.ts'
import { monthlyCost, PRICES, USUAL } from '../../cli/cost/monthly.ts'

const PAGE = readFileSync(new URL('../../docs/cost.md', import.meta.url), 'utf8')

const SITES = [
  { site: 'a small blog', requests: 3e6, dataCentres: 2, hoursPerDay: 8 },
  { site: 'a shop', requests: 50e6, dataCentres: 6, hoursPerDay: 24 },
  { site: 'a news site', requests: 500e6, dataCentres: 20, hoursPerDay: 24 },
  { site: 'worldwide', requests: 5e9, dataCentres: 60, hoursPerDay: 24 },
]

function rowOf({ site, ...usage }: (typeof SITES)[number]): string {
  const { lines, dollars } = monthlyCost({ ...USUAL, ...usage })
  const of = (...names: string[]) =>
    money(
      lines.filter(({ name }) => names.includes(name)).reduce((sum, one) => sum + one.dollars, 0),
    )
  const cells = [
    ...[site, amountText(usage.requests), usage.dataCentres, usage.hoursPerDay, money(dollars)],
    ...[of('requests', 'processor time'), of('reports'), of('coordinator and relays')],
  ]
  return `| ${cells.join(' | ')} |`
}

describe('the cost of a month', () => {
  it.for(SITES)('is in docs/cost.md: $site', (site, { expect }) => {
    expect(PAGE).toContain(rowOf(site))
  })

  it('is the plan alone for a site without traffic, and has an object all month for 331,776 GB-s', ({
    expect,
  }) => {
    expect(monthlyCost({ ...USUAL, requests: 0, hoursPerDay: 0 }).dollars).toBe(PRICES.plan)
    const { lines } = monthlyCost({ ...USUAL, requests: 0, dataCentres: 0 })
    expect(lines.find(({ unit }) => unit === 'GB-s')!.amount).toBeCloseTo(331_776)
  })

  it('never falls when there is more of something', ({ expect }) => {
    const usage = fc.record({
      ...{
        requests: fc.nat(1e9),
        origins: fc.integer({ min: 1, max: 9 }),
        dataCentres: fc.nat(50),
      },
      ...{ isolates: fc.nat(9), hoursPerDay: fc.nat(23), cpuMs: fc.nat(5) },
    })
    fc.assert(
      fc.property(
        usage,
        fc.constantFrom(
          ...(['requests', 'origins', 'dataCentres', 'isolates', 'hoursPerDay', 'cpuMs'] as const),
        ),
        (one, key) => {
          const more = monthlyCost({ ...one, [key]: one[key] + 1 })
          expect(more.dollars).toBeGreaterThanOrEqual(monthlyCost(one).dollars)
        },
      ),
    )
  })
})
