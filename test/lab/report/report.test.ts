import { describe, it } from 'vitest'
import { EXPERIMENTS } from '../../../lab/experiments/index.ts'
import { Runs } from '../../../lab/experiments/runs.ts'
import { chart } from '../../../lab/report/chart.ts'
import { claimsDocs, withSection } from '../../../lab/report/docs.ts'
import { experimentSection, withClaims } from '../../../lab/report/experiment-section.ts'
import { linear, logarithmic, tickText, tight } from '../../../lab/report/scale.ts'
import { table } from '../../../lab/report/table.ts'
import { escaped } from '../../../tools/escaped.ts'

describe('scales', () => {
  it('have round ticks that cover all values', ({ expect }) => {
    expect(linear(0, 4.7, 0, 100).ticks).toEqual([0, 1, 2, 3, 4, 5])
    expect(linear(980, 1210, 0, 1).ticks).toEqual([950, 1000, 1050, 1100, 1150, 1200, 1250])
    expect(tight(0, 15_600, 0, 1).ticks).toEqual([0, 5000, 10_000, 15_000])
    expect(logarithmic(12, 900, 0, 1).ticks).toEqual([10, 100, 1000])
    expect([0.05, 12_000, 1500].map(tickText)).toEqual(['0.05', '12k', '1500'])
  })

  it('map values to their positions', ({ expect }) => {
    expect(linear(0, 5, 100, 0).at(2.5)).toBe(50)
    expect(tight(10, 20, 0, 100).at(20)).toBe(100)
    expect(logarithmic(10, 1000, 0, 100).at(100)).toBe(50)
    // A logarithmic scale has no place for zero: it goes to the lowest mark.
    expect(logarithmic(10, 1000, 0, 100).at(0)).toBe(0)
  })
})

describe('a chart', () => {
  const svg = chart({
    title: 'p95 < target',
    x: 's',
    y: 'ms',
    series: [
      { name: 'soc', points: [[0, 1], [10, 2]] }, // biome-ignore format: a table
      { name: 'pac', points: [[0, 3], [10, 1]] }, // biome-ignore format: a table
    ],
    mark: 2.5,
  })

  it('has a line and a name for each policy, and no external references', ({ expect }) => {
    expect(svg.match(/<polyline[^>]*stroke-width="1.6"/g)).toHaveLength(2)
    expect(svg).toContain('>soc</text>')
    expect(svg).toContain('p95 &lt; target, ms')
    expect(svg).toContain('stroke-dasharray')
    expect(svg).not.toMatch(/href|url\(|NaN/)
  })
})

describe('the report', () => {
  const experiment = EXPERIMENTS.find(({ name }) => name === 'seda-10')!

  it('shows figures beside the claims, and says what does not hold and why', async ({ expect }) => {
    const found = await Promise.all(
      experiment.policies('short').map(async (policy) => ({
        point: {},
        policy,
        seed: 1,
        found: await experiment.run({}, policy, 1, 'short'),
      })),
    )
    const shown = withClaims(experiment, Runs.from(found), experiment.claims)
    const html = experimentSection(shown)
    expect(html.match(/<svg/g)).toHaveLength(2)
    expect(html).toContain('Holds: Without control')
    expect(html).toMatch(/Does not hold: About 70 to 80 %[^<]*<br><span class="seen">Seen: \d+/)
    expect(html).toContain('Why: A thousand users')
    expect(claimsDocs([shown])).toMatch(/About 70 to 80 %.*\| \*\*no\*\* \|.*\*\*Why not:\*\*/)
  })

  it('replaces one section of docs/lab.md only', ({ expect }) => {
    const page = 'a\n<!-- x: begin -->\nold\n<!-- x: end -->\nb\n'
    expect(withSection(page, 'x', 'new')).toBe('a\n<!-- x: begin -->\nnew\n<!-- x: end -->\nb\n')
    expect(() => withSection(page, 'y', 'new')).toThrow('no section "y"')
  })

  it('escapes user input', ({ expect }) => {
    expect(escaped('<b a="1">&')).toBe('&lt;b a=&quot;1&quot;&gt;&amp;')
  })

  it('has tables with a left-aligned first column', ({ expect }) => {
    expect(table(['policy', 'share'], [['soc', '0.9']])).toBe('policy  share\nsoc       0.9')
  })
})
