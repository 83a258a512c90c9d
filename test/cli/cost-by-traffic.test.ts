import { readFileSync } from 'node:fs'
import { describe, it } from 'vitest'
import { amountText, money } from '../../cli/commands/cost.ts'
import { costAt } from '../../cli/cost/by-traffic.ts'
import { MEASURED_USE } from '../../cli/cost/measured-use.ts'
import { SITE_SIZES, siteUse } from '../../lab/edge/site-use.ts'

const PAGE = readFileSync(new URL('../../docs/cost.md', import.meta.url), 'utf8')

describe('the cost by traffic', () => {
  it.for(SITE_SIZES.filter(({ rps }) => rps <= 1000))(
    'is reckoned from what the lab measures at $rps requests a second',
    async (size, { expect }) => {
      expect(MEASURED_USE).toContainEqual(await siteUse(size, 100))
    },
  )

  it.for([1, 100, 1000, 10_000])('is in docs/cost.md: %d requests a second', (rps, { expect }) => {
    const { requests, lines, objects, percent } = costAt(rps)
    const cells = [
      ...[rps.toLocaleString('en-US'), money(requests)],
      ...lines.slice(1).flatMap(({ amount, dollars }) => [amountText(amount), money(dollars)]),
      ...[money(objects), percent === null ? '' : `${percent.toFixed(1)} %`],
    ]
    expect(PAGE).toContain(`| ${cells.join(' | ')} |`)
  })

  it('is below a tenth of the requests from 100 requests a second on', ({ expect }) => {
    for (const rps of [100, 1000, 10_000]) expect(costAt(rps).percent).toBeLessThan(10)
  })

  it('is nothing for a site without visitors', ({ expect }) => {
    expect(costAt(0)).toMatchObject({ requests: 0, objects: 0 })
  })
})
