import { medianOf } from '../load/ratio.ts'
import { bundle } from '../runtime/bundle.ts'
import { cpuMs } from '../runtime/process.ts'
import { startWorkerd } from '../runtime/workerd.ts'
import { measureTicks, SIZES, type TickFigure } from './ticks.ts'
import { measureViewers, type ViewersFigure } from './viewers.ts'

export interface RelayFigure {
  readonly perSecond: number
  /** Processor time of both ends of the call and of the coordinator. */
  readonly cpuUs: number
}

export interface CoordinatorFigures {
  readonly ticks: readonly TickFigure[]
  readonly relay: RelayFigure
  readonly viewers: ViewersFigure
}

export interface CoordinatorTiming {
  readonly ticks: number
  readonly relayRounds: number
  readonly relayMs: number
}

/** What the coordinator costs for reports of several sizes, and how many reports a relay accepts. */
export async function runCoordinator(
  { ticks, relayRounds, relayMs }: CoordinatorTiming,
  say: (text: string) => void,
): Promise<CoordinatorFigures> {
  say('coordinator: ticks')
  const measured = SIZES.map((size) => measureTicks(size, ticks))
  say('coordinator: one relay in workerd')
  const relay = await measureRelay(relayRounds, relayMs)
  say('coordinator: viewers of the dashboard')
  return { ticks: measured, relay, viewers: await measureViewers(relayRounds) }
}

async function measureRelay(rounds: number, ms: number): Promise<RelayFigure> {
  const { code } = await bundle('bench/coordinator/worker.ts')
  const objects = { TIDEGATE_COORDINATOR: 'Coordinator', TIDEGATE_RELAY: 'Relay' }
  const server = await startWorkerd(code, { objects })
  try {
    const perSecond: number[] = []
    const cpuUs: number[] = []
    for (let round = 0; round <= rounds; round++) {
      const before = cpuMs(server.pids)
      const body = JSON.stringify({ ms })
      const answer = await fetch(server.url, { method: 'POST', body })
      const { taken, ms: tookMs } = (await answer.json()) as { taken: number; ms: number }
      const spentMs = cpuMs(server.pids) - before
      if (round === 0) continue // The first round is the warm-up.
      perSecond.push((taken * 1000) / tookMs)
      cpuUs.push((spentMs * 1000) / taken)
    }
    return { perSecond: medianOf(perSecond), cpuUs: medianOf(cpuUs) }
  } finally {
    await server.close()
  }
}
