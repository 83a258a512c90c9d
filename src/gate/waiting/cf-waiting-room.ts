import type { Waiting } from '../../admission/queue/waiting.ts'
import type { QueueOrder } from '../../config/config.ts'

interface Told {
  readonly waiting: Waiting
  readonly opensMs: number | null
  readonly nowMs: number
}

/** The fields of Cloudflare Waiting Room's JSON that clients read, so that existing clients work. Times are in minutes. */
export function cfWaitingRoom(
  { waiting, opensMs, nowMs }: Told,
  refreshS: number,
  order: QueueOrder,
): Readonly<Record<string, unknown>> {
  const { range, place } = waiting
  const minutes = Math.ceil(range.toS / 60)
  const isBefore = opensMs !== null && opensMs > nowMs
  return {
    inWaitingRoom: true,
    waitTimeKnown: place !== null,
    waitTime: minutes,
    waitTimeFormatted: minutes === 1 ? '1 minute' : `${minutes} minutes`,
    queueIsFull: false,
    queueAll: false,
    lastUpdated: new Date(nowMs).toISOString(),
    refreshIntervalSeconds: refreshS,
    queueingMethod: order,
    isFIFOQueue: order === 'fifo',
    isRandomQueue: order === 'random',
    isPassthroughQueue: false,
    isRejectQueue: false,
    isEventActive: false,
    isEventPrequeueing: isBefore,
    timeUntilEventStart: isBefore ? Math.ceil((opensMs - nowMs) / 60_000) : 0,
  }
}
