import { poisson } from '../../lab/clients/arrivals.ts'
import { dailyCycle } from '../../lab/clients/profiles.ts'
import { plantR } from '../../lab/gate/plants.ts'
import { runPlant } from '../../lab/gate/run-plant.ts'
import type { Curve } from '../../src/learners/soc/curve.ts'
import { SocLearner } from '../../src/learners/soc/learner.ts'
import { SOC_OPTIONS, type SocOptions } from '../../src/learners/soc/options.ts'
import { type Barycenter, isReliable } from '../../src/learners/soc/slices.ts'
import { curveOfTier, limitOfTier, type TierKnowledge } from '../../src/learners/soc/tier-curve.ts'
import { resolveOptions } from '../../src/lib/option-table.ts'
import {
  at,
  BAD,
  GOOD,
  INK,
  legendKey,
  level,
  type Plot,
  type Point,
  polyline,
  type Scale,
  scaleOf,
  svgOf,
  words,
} from '../svg.ts'

/** SOC's slices and curve after half an hour and the resulting limit, drawn from the learner's state. */

const WIDTH = 820
const HEIGHT = 400
const PLOT: Plot = { left: 66, right: WIDTH - 24, top: 84, bottom: 344 }
const LARGEST_RATE = 240
const LARGEST_MS = 320

/** Two waves of 15 minutes, between 56 and 224 requests a second, on an origin with a capacity of 200. */
const WAVE = { mean: 140, swing: 0.6, peakMs: 450_000, days: 2, dayMs: 900_000 }
const OPTIONS = { iterationMs: 10_000 }

interface LearnedTier {
  readonly tier: TierKnowledge
  readonly targetMs: number
  readonly options: SocOptions
}

export function knowledgeAfterWaves(seed: number): LearnedTier {
  const plant = plantR({ arrivals: poisson(dailyCycle(WAVE)) })
  const learner = new SocLearner(OPTIONS)
  const seconds = (WAVE.days * WAVE.dayMs) / 1000
  runPlant({ plant, seed, seconds, learner: () => learner })
  return {
    tier: learner.state.tiers[0]!,
    targetMs: plant.sla.targetMs,
    options: resolveOptions(SOC_OPTIONS, OPTIONS),
  }
}

export function socCurvePicture({ tier, targetMs, options }: LearnedTier): string {
  const x = scaleOf({ from: 0, to: LARGEST_RATE }, { from: PLOT.left, to: PLOT.right })
  const y = scaleOf({ from: 0, to: LARGEST_MS }, { from: PLOT.bottom, to: PLOT.top })
  const { limit } = limitOfTier(tier, targetMs, true, options)!
  const curve = curveOfTier(tier, targetMs, options)
  const title = 'soc: slices, the curve, and its inverse at the target'
  return svgOf({ width: WIDTH, height: HEIGHT, title, left: 24 }, [
    legendKey(66, 58, GOOD, 'a slice: mean of its pairs'),
    legendKey(286, 58, '#cbd5e1', 'not reliable yet'),
    legendKey(442, 58, INK, 'the curve'),
    legendKey(556, 58, BAD, 'the target, and the limit'),
    ...edgesOf(tier, options).map((rate) => stripe(x(rate))),
    curveLine(curve, x, y),
    words({ x: x(0) + 8, y: y(curve[0]!.responseMs) + 20, text: 'the idle origin', size: 13 }),
    ...inversion(x(limit), y(targetMs), limit, targetMs),
    ...tier.slices.map((slice) => dot(slice, x, y, isReliable(slice, options.tolerance))),
    level(PLOT, PLOT.bottom),
    ...[0, 50, 100, 150, 200].map((rate) =>
      words({ x: x(rate), y: PLOT.bottom + 20, text: `${rate}/s`, anchor: 'middle', size: 13 }),
    ),
    words({ x: PLOT.right, y: PLOT.bottom + 40, text: 'admitted rate', anchor: 'end', size: 13 }),
    ...[0, 100, 200, 300].map((ms) =>
      words({ x: PLOT.left - 8, y: y(ms) + 4, text: `${ms} ms`, anchor: 'end', size: 13 }),
    ),
  ])
}

/** The borders between slices. */
function edgesOf({ slices, scale }: TierKnowledge, { slice: width }: SocOptions): number[] {
  const edgeOf = (slice: number): number => scale * (1 + width) ** slice
  const edges = slices.flatMap(({ slice }) => [edgeOf(slice), edgeOf(slice + 1)])
  return [...new Set(edges)].filter((rate) => rate < LARGEST_RATE)
}

function stripe(x: number): string {
  const ends: Point[] = [
    [x, PLOT.top],
    [x, PLOT.bottom],
  ]
  return polyline(ends, { color: '#e2e8f0' })
}

function dot({ rate, responseMs, count }: Barycenter, x: Scale, y: Scale, reliable: boolean) {
  if (responseMs > LARGEST_MS) return ''
  const radius = 2.5 + 1.2 * Math.sqrt(count)
  return `<circle cx="${at(x(rate))}" cy="${at(y(responseMs))}" r="${at(radius)}" fill="${reliable ? GOOD : '#cbd5e1'}" stroke="#ffffff"/>`
}

/** The curve, cut off at the upper edge of the plot. */
function curveLine(curve: Curve, x: Scale, y: Scale): string {
  const points: Point[] = []
  for (const { rate, responseMs } of curve) {
    const last = points.at(-1)
    if (responseMs > LARGEST_MS && last !== undefined) {
      const part = (PLOT.top - last[1]) / (y(responseMs) - last[1])
      points.push([last[0] + part * (x(rate) - last[0]), PLOT.top])
      break
    }
    points.push([x(rate), y(responseMs)])
  }
  return polyline(points, { color: INK, width: 2 })
}

function inversion(limitX: number, targetY: number, limit: number, targetMs: number): string[] {
  const path: Point[] = [
    [PLOT.left, targetY],
    [limitX, targetY],
    [limitX, PLOT.bottom],
  ]
  return [
    polyline(path, { color: BAD, width: 1.8, dashes: '6 4' }),
    words({ x: PLOT.left + 8, y: targetY - 8, text: `target: ${targetMs} ms`, fill: BAD }),
    words({
      x: limitX - 8,
      y: PLOT.bottom - 12,
      text: `limit: ${limit.toFixed(0)}/s`,
      fill: BAD,
      anchor: 'end',
    }),
  ]
}
