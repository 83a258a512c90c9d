import { describe, it } from 'vitest'
import { polyline, scaleOf, svgOf, words } from '../../tools/svg.ts'

describe('the parts of a picture', () => {
  it('scales linearly: 25 of 0 to 100 is a quarter of the way from 400 up to 0', ({ expect }) => {
    const y = scaleOf({ from: 0, to: 100 }, { from: 400, to: 0 })
    expect([y(0), y(25), y(100)]).toEqual([400, 300, 0])
  })

  it('escapes characters with a meaning in SVG', ({ expect }) => {
    expect(words({ x: 1, y: 2, text: 'p < 0.5 & "late"' })).toContain(
      'p &lt; 0.5 &amp; &quot;late&quot;',
    )
  })

  it('has its title as a label for screen readers', ({ expect }) => {
    const svg = svgOf({ width: 10, height: 20, title: 'A "crowd"', left: 0 }, [])
    expect(svg).toContain('role="img" aria-label="A &quot;crowd&quot;"')
    expect(svg).toContain('width="10" height="20" viewBox="0 0 10 20"')
  })

  it('rounds to a tenth of a pixel', ({ expect }) => {
    const points = [[1.26, 2] as const, [3, 4.04] as const]
    expect(polyline(points, { color: 'red' })).toContain('points="1.3,2.0 3.0,4.0"')
  })
})
