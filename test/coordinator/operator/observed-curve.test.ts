import { describe, it } from 'vitest'
import {
  curveAfter,
  curvePoints,
  type ObservedCurve,
} from '../../../src/coordinator/operator/observed-curve.ts'
import { CLASS, routesFeedback, setupOf } from '../../support/feedback.ts'
import { histogramOf } from '../../support/histogram.ts'

const tick = (served: number, ms: number) => ({
  ...{ atMs: 0, lengthMs: 1000 },
  routes: routesFeedback({
    shop: { default: { served, latency: histogramOf(new Array(served).fill(ms)) } },
  }),
})

const after = (ticks: readonly [number, number][], from: ObservedCurve = {}): ObservedCurve =>
  ticks.reduce((curve, [served, ms]) => curveAfter(curve, tick(served, ms), setupOf()), from)

const times = (n: number, served: number, ms: number): [number, number][] =>
  Array.from({ length: n }, () => [served, ms])

describe('the observed curve', () => {
  it('has response time against load, with rising load', ({ expect }) => {
    const points = curvePoints(after([...times(5, 80, 400), ...times(5, 10, 20)]))
    expect(points.map(({ load }) => load)).toEqual([10, 80])
    expect(points[0]!.value).toBeCloseTo(20, -1)
    expect(points[1]!.value / 400).toBeCloseTo(1, 1)
  })

  it('is without the classes that have an SLA of their own', ({ expect }) => {
    const sla = { percentile: 95, targets: [{ fromRate: 0, targetMs: 3000 }], windowMs: 60_000 }
    const search = { ...CLASS, name: 'search', sla }
    const setup = setupOf({ routes: { shop: { classes: [search, CLASS] } } })
    const answers = (served: number, ms: number) => ({
      ...{ served, latency: histogramOf(new Array(served).fill(ms)) },
    })
    const routes = routesFeedback({ shop: { search: answers(30, 2000), default: answers(10, 20) } })
    let curve: ObservedCurve = {}
    for (let i = 0; i < 5; i++)
      curve = curveAfter(curve, { atMs: 0, lengthMs: 1000, routes }, setup)
    const [point] = curvePoints(curve)
    expect(point!.load).toBe(10)
    expect(point!.value).toBeLessThan(30)
  })

  it('shows no slice that was seen only once or twice', ({ expect }) => {
    expect(curvePoints(after(times(2, 80, 400)))).toEqual([])
  })

  it('follows an origin that changes', ({ expect }) => {
    const old = after(times(1000, 50, 100))
    const [point] = curvePoints(after(times(300, 50, 1000), old))
    expect(point!.value).toBeGreaterThan(900)
  })

  it('stays small, whatever the loads are', ({ expect }) => {
    const loads = Array.from({ length: 300 }, (_, i) => [1 + i * 7, 10] as [number, number])
    expect(Object.keys(after(loads)).length).toBeLessThan(101)
  })

  it('takes nothing from a tick without answers', ({ expect }) => {
    expect(after([[0, 0]])).toEqual({})
  })
})
