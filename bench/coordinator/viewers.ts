import { medianOf } from '../load/ratio.ts'
import { bundle } from '../runtime/bundle.ts'
import { startWorkerd } from '../runtime/workerd.ts'

export interface ViewersFigure {
  readonly viewers: number
  /** Milliseconds for a report that is due for a tick, with the tick, without and with viewers. */
  readonly aloneMs: number
  readonly watchedMs: number
  /** Messages that one viewer received for each tick. */
  readonly messagesPerTick: number
}

const VIEWERS = 50
const TICKS = 60

/** What viewers of the dashboard cost the coordinator: ticks with and without them take turns. */
export async function measureViewers(rounds: number): Promise<ViewersFigure> {
  const { code } = await bundle('bench/coordinator/viewers-worker.ts')
  const objects = { TIDEGATE_COORDINATOR: 'Coordinator', TIDEGATE_RELAY: 'Relay' }
  const server = await startWorkerd(code, { objects })
  const round = async (viewers: number) => {
    const body = JSON.stringify({ viewers, ticks: TICKS })
    const answer = await fetch(server.url, { method: 'POST', body })
    return (await answer.json()) as { ms: number; received: number }
  }
  try {
    const alone: number[] = []
    const watched: number[] = []
    let received = 0
    for (let i = 0; i <= rounds; i++) {
      const without = await round(0)
      const withViewers = await round(VIEWERS)
      if (i === 0) continue // The first round is the warm-up.
      alone.push(without.ms / TICKS)
      watched.push(withViewers.ms / TICKS)
      received += withViewers.received
    }
    return {
      viewers: VIEWERS,
      aloneMs: medianOf(alone),
      watchedMs: medianOf(watched),
      messagesPerTick: received / (rounds * TICKS * VIEWERS),
    }
  } finally {
    await server.close()
  }
}
