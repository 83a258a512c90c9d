import type { Experiment, Plot, Point } from '../experiments/experiment.ts'
import type { Run, Runs } from '../experiments/runs.ts'
import { chart, type Series } from './chart.ts'

/** An experiment's figures; a plot without runs is left out. */
export function figuresOf({ plots }: Experiment, runs: Runs): readonly string[] {
  return plots.flatMap((plot) => {
    const series = seriesOf(plot, runs)
    return series.length === 0 ? [] : [chart({ ...plot, series })]
  })
}

function seriesOf({ show, where = {} }: Plot, runs: Runs): readonly Series[] {
  const shown = runs.where(where as Point)
  const policies = [...new Set(shown.map(({ policy }) => policy))]
  return policies
    .map((policy): Series => {
      const own = shown.where({ policy })
      return {
        name: policy,
        points: 'curve' in show ? curveOf(own, show.curve) : against(own, show),
      }
    })
    .filter(({ points }) => points.length > 0)
}

/** Curves at the first point, if there are several. */
function curveOf(runs: Runs, name: string) {
  const [first] = runs
  return first?.curve(name) ?? []
}

function against(runs: Runs, { value, against: key }: { value: string; against: string }) {
  return runs
    .map((run: Run) => [run.at(key), run.mean(value)] as const)
    .toSorted(([a], [b]) => a - b)
}
