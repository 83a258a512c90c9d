import { DEFAULTS } from '../../src/config/defaults.ts'
import { CoordinatorCore } from '../../src/coordinator/coordinator-core.ts'
import type { Feedback } from '../../src/protocol/feedback.ts'
import { medianOf } from '../load/ratio.ts'
import { planOf, reportOf, routesOf, START_MS } from '../micro/fixtures.ts'

/** The size of what is reported to a coordinator. */
export interface Size {
  readonly colos: number
  readonly classes: number
  readonly routes: number
  /** Per class and report. */
  readonly requests: number
}

export interface TickFigure extends Size {
  /** Microseconds to accept the report of one data centre. */
  readonly reportUs: number
  /** Microseconds to learn, allocate and plan, once all have reported. */
  readonly tickUs: number
  readonly reportBytes: number
  readonly planBytes: number
}

const USUAL: Size = { colos: 10, classes: 3, routes: 1, requests: 100 }

/** One size varies at a time. The time of a tick must not grow with the last one, the requests. */
export const SIZES: readonly Size[] = [
  ...[1, 10, 100, 330].map((colos) => ({ ...USUAL, colos })),
  ...[1, 10, 100].map((classes) => ({ ...USUAL, classes })),
  ...[10].map((routes) => ({ ...USUAL, routes })),
  ...[10, 1000, 10_000].map((requests) => ({ ...USUAL, requests })),
]

export function measureTicks(size: Size, ticks: number): TickFigure {
  const routes = routesOf(size.routes, size.classes, DEFAULTS.learner)
  const given = Array.from({ length: size.colos }, (_, i) =>
    reportOf(routes, { sender: `colo-${i}`, requests: size.requests }),
  )
  const core = new CoordinatorCore()
  const reportsMs: number[] = []
  const ticksMs: number[] = []
  for (let seq = 0; seq < COLD_ROUNDS + ticks; seq++) {
    const nowMs = START_MS + (seq + 1) * 1000
    const reports = given.map((report) => later(report, seq))
    const startedAt = performance.now()
    for (const report of reports) core.handle(report, nowMs)
    const reportedAt = performance.now()
    const hasTicked = core.tick(nowMs)
    if (seq < COLD_ROUNDS) continue
    if (!hasTicked) throw new Error('The coordinator did not tick')
    reportsMs.push((reportedAt - startedAt) / size.colos)
    ticksMs.push(performance.now() - reportedAt)
  }
  return {
    ...size,
    reportUs: medianOf(reportsMs) * 1000,
    tickUs: medianOf(ticksMs) * 1000,
    reportBytes: JSON.stringify(later(given[0]!, 1)).length,
    planBytes: JSON.stringify(planOf(routes)).length,
  }
}

/** Until there is a limit, the first ticks are due with any reports. They are not measured. */
const COLD_ROUNDS = 5

/** Too short to make a tick due, so that a tick is timed apart from the reports. */
const COVERED_MS = 900

/** The same report at a later time. Only the first carries the setup. */
function later({ setup, ...report }: Feedback, seq: number): Feedback {
  const fromMs = START_MS + seq * 1000
  const again = { ...report, seq, fromMs, toMs: fromMs + COVERED_MS }
  return seq === 0 && setup ? { ...again, setup } : again
}
