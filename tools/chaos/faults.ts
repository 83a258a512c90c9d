import type { Coin } from '../random.ts'

/** The origin's name in the configuration of a chaos run. */
export const ORIGIN_NAME = 'site'

/** Requests to this path of the Worker under test set a fault of its objects. */
export const CHAOS_PATH = '/__chaos/'

export const ORIGIN_FAULTS = ['down', 'hanging', 'resetting', 'broken bodies'] as const
export const COORDINATOR_FAULTS = [
  'evicted',
  'write fails',
  'unreachable',
  'slow',
  'garbage',
  'newer version',
] as const

export type OriginFault = (typeof ORIGIN_FAULTS)[number]
export type CoordinatorFault = (typeof COORDINATOR_FAULTS)[number]

export type Fault =
  | { readonly part: 'origin'; readonly kind: OriginFault }
  | { readonly part: 'coordinator'; readonly kind: CoordinatorFault }
  | { readonly part: 'relay'; readonly kind: 'relay lost' }
  | { readonly part: 'runtime'; readonly kind: 'killed' }

export const PARTS = ['origin', 'coordinator', 'relay', 'runtime'] as const
export type Part = (typeof PARTS)[number]

export interface ScheduledFault {
  readonly fault: Fault
  /** Since the start of the faults. */
  readonly atMs: number
  /** A fault of a moment, such as a kill, has none. */
  readonly lastsMs: number
}

const ALL: readonly Fault[] = [
  ...ORIGIN_FAULTS.map((kind) => ({ part: 'origin', kind }) as const),
  ...COORDINATOR_FAULTS.map((kind) => ({ part: 'coordinator', kind }) as const),
  { part: 'relay', kind: 'relay lost' },
  { part: 'runtime', kind: 'killed' },
]

const MOMENTS: ReadonlySet<string> = new Set(['evicted', 'write fails', 'relay lost', 'killed'])
const SKIPPED = 20
const SHORTEST_MS = 500
const LONGEST_MS = 2500
const LONGEST_PAUSE_MS = 1500

/** Faults in a random order, one after the other with random pauses. No fault comes twice before all others have come. */
export function scheduleOf(
  coin: Coin,
  lengthMs: number,
  parts: readonly Part[] = PARTS,
): readonly ScheduledFault[] {
  const scheduled: ScheduledFault[] = []
  let left: Fault[] = []
  let atMs = 0
  // The first numbers of neighbouring seeds are alike.
  for (let i = 0; i < SKIPPED; i++) coin()
  for (;;) {
    if (left.length === 0) left = ALL.filter(({ part }) => parts.includes(part))
    const [fault] = left.splice(Math.floor(coin() * left.length), 1)
    const lastsMs = MOMENTS.has(fault!.kind) ? 0 : SHORTEST_MS + coin() * (LONGEST_MS - SHORTEST_MS)
    if (atMs + lastsMs > lengthMs) return scheduled
    scheduled.push({ fault: fault!, atMs, lastsMs })
    atMs += lastsMs + SHORTEST_MS + coin() * (LONGEST_PAUSE_MS - SHORTEST_MS)
  }
}
