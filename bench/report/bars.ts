import { EDGE_BUDGET_BYTES } from '../bundle/sizes.ts'
import type { EdgeFigure } from '../edge/run.ts'
import type { Figures } from './figures.ts'

/** A target, and whether the figures meet it. */
export interface Bar {
  readonly name: string
  readonly value: number
  readonly limit: number
  readonly sense: 'at least' | 'below'
  readonly holds: boolean
}

const atLeast = (name: string, value: number, limit: number): Bar => ({
  name,
  value,
  limit,
  sense: 'at least',
  holds: value >= limit,
})

const below = (name: string, value: number, limit: number): Bar => ({
  name,
  value,
  limit,
  sense: 'below',
  holds: value < limit,
})

export function barsOf(figures: Figures): readonly Bar[] {
  return [
    ...edgeBars(figures),
    ...microBars(figures),
    ...bundleBars(figures),
    ...tickBars(figures),
    ...labBars(figures),
  ]
}

function edgeBars({ edge = [] }: Figures): readonly Bar[] {
  const bars: Bar[] = []
  const find = (group: string, variant: string): EdgeFigure | undefined =>
    edge.find((figure) => figure.group === group && figure.variant === variant)
  const ratio = (name: string, group: string, variant: string, limit: number): void => {
    const figure = find(group, variant)
    if (figure) bars.push(atLeast(name, figure.ratio.value, limit))
  }
  const times = (name: string, variant: string, limit: number, group = 'refuse'): void => {
    const figure = find(group, variant)
    if (figure?.gateTimes) bars.push(atLeast(name, figure.gateTimes.value, limit))
  }
  ratio('refusing, of a bare Worker', 'refuse', 'gate', 0.9)
  ratio('refusing as middleware, of an empty one', 'refuse', 'middleware', 0.9)
  ratio('admitting, of a bare proxy', 'admit', 'gate', 0.8)
  ratio('known sessions, of a bare proxy', 'session', 'gate', 0.85)
  times('admitting, of a bare proxy with the same bytes', 'sameBytes', 0.9, 'admit')
  times('known sessions, of a bare proxy with the same bytes', 'sameBytes', 0.9, 'session')
  times('refusing, times a Durable Object per request', 'doPerRequest', 2.5)
  return bars
}

function microBars({ micro }: Figures): readonly Bar[] {
  if (!micro) return []
  const limits: readonly [string, number][] = [
    ['decide, by the bucket', 100],
    ['decide, by dithered draws', 100],
    ['classify, 100 rules', 1000],
  ]
  return (['node', 'workerd'] as const).flatMap((runtime) =>
    limits.flatMap(([name, limit]) =>
      micro[runtime]
        .filter((figure) => figure.name === name)
        .map(({ ns }) => below(`${name}, ns in ${runtime}`, ns, limit)),
    ),
  )
}

function bundleBars({ bundle }: Figures): readonly Bar[] {
  if (!bundle) return []
  return [
    below('bytes of the edge part, gzipped', bundle.edge.gzipBytes, EDGE_BUDGET_BYTES),
    below('ms of processor time to start', bundle.startUp.loadedMs, 20),
  ]
}

function labBars({ lab }: Figures): readonly Bar[] {
  if (!lab) return []
  return [below('s of processor time for a million simulated requests', lab.secondsPerMillion, 20)]
}

/** Compares a thousand and ten thousand requests per class: from a thousand on, every bucket is in use. */
function tickBars({ coordinator }: Figures): readonly Bar[] {
  const [few, many] = [1000, 10_000].map((requests) =>
    coordinator?.ticks.find((figure) => figure.requests === requests),
  )
  if (!coordinator || !few || !many) return []
  const { viewers } = coordinator
  return [
    below('a tick with ten times the requests, times as long', many.tickUs / few.tickUs, 2),
    below('a report with ten times the requests, times as long', many.reportUs / few.reportUs, 2),
    below('a tick with 50 viewers, times as long', viewers.watchedMs / viewers.aloneMs, 1.2),
  ]
}
