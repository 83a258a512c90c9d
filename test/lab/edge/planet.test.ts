import { beforeAll, describe, it } from 'vitest'
import {
  MOST_PER_SECOND,
  type PlanetFigure,
  type PlanetOptions,
  planetFigure,
  SMALL_PLANET,
} from '../../../lab/edge/planet.ts'

const play = (options: Partial<PlanetOptions>) =>
  planetFigure({ ...SMALL_PLANET, ...options }, () => 0)

const { calm, limit } = SMALL_PLANET

describe('a planet with 330 data centres', () => {
  let figure: PlanetFigure
  /** Twice as many requests, of which twice as many may enter. */
  let doubled: PlanetFigure
  beforeAll(async () => {
    figure = await play({})
    doubled = await play({ calm: 2 * calm, limit: 2 * limit })
  })

  it('reports over regions', ({ expect }) => {
    const most = (kind: string) =>
      figure.objects.filter((one) => one.kind === kind).map(({ mostPerSecond }) => mostPerSecond)
    expect(figure.dataCentres).toBe(330)
    expect(Math.min(...most('region'))).toBeGreaterThan(50)
    // Without regions 330 relays would report to it once a second.
    expect(Math.max(...most('coordinator'))).toBeLessThan(50)
  })

  it('gives no object more than 200 requests in a second', ({ expect }) => {
    for (const { mostPerSecond } of [...figure.objects, ...doubled.objects])
      expect(mostPerSecond).toBeLessThanOrEqual(MOST_PER_SECOND)
    expect(MOST_PER_SECOND).toBe(200)
  })

  it('has messages that do not grow with the requests', ({ expect }) => {
    const offered = ({ offered }: PlanetFigure) => offered.at(-1)!
    expect(offered(doubled) / offered(figure)).toBeCloseTo(1, 1)
    expect(figure.largestReport).toBeGreaterThan(500)
    // Numbers may have a digit more, and a report may carry the one before it, if that was not answered in time.
    expect(doubled.largestReport / figure.largestReport).toBeLessThan(1.5)
    expect(doubled.largestPlan / figure.largestPlan).toBeLessThan(1.05)
  })
})
