import { Agenda } from '../../lab/engine/agenda.ts'
import { streams } from '../../lab/engine/random.ts'
import { ABANDONED, FAILED, type Outcome, Requests, SERVED } from '../../lab/engine/requests.ts'
import type { CapacityChange, Origin, OriginFactory, World } from '../../lab/origins/origin.ts'

const WORDS: Readonly<Record<Outcome, string>> = {
  [SERVED]: 'served',
  [FAILED]: 'failed',
  [ABANDONED]: 'abandoned',
}

export interface Job {
  readonly atMs: number
  readonly demandMs: number
  readonly tier?: number
  readonly class?: number
  /** When its client leaves. */
  readonly abandonMs?: number
}

/** Sends jobs to an origin and returns the outcome of each, such as `served at 1500`. */
export function serve(
  create: OriginFactory,
  jobs: readonly Job[],
  changes: readonly (CapacityChange & { readonly atMs: number })[] = [],
): string[] {
  const world: World = { agenda: new Agenda(), requests: new Requests(), random: streams(1) }
  const { agenda, requests } = world
  const ends: string[] = jobs.map(() => 'under way')
  const origin: Origin = create(world, {
    finished(id, outcome) {
      const job = requests.visitor[id]!
      const inVain = requests.abandoned[id] === 1 && outcome === SERVED ? ' in vain' : ''
      ends[job] = `${WORDS[outcome]}${inVain} at ${Math.round(agenda.nowMs * 1000) / 1000}`
      requests.close(id)
    },
  })
  const ids: number[] = []
  const SEND = 0
  const LEAVE = 1
  const actor = agenda.register({
    handle(kind, index) {
      const job = jobs[index]!
      if (kind === LEAVE) {
        if (ends[index] === 'under way') origin.abandon(ids[index]!)
        return
      }
      if (kind !== SEND) {
        origin.change(changes[index]!)
        return
      }
      const { demandMs, tier = 0, class: klass = 0 } = job
      const opening = { demandMs, tier, class: klass, visitor: index, luck: index }
      ids[index] = requests.open(agenda.nowMs, opening)
      origin.submit(ids[index]!)
    },
  })
  for (const [i, { atMs, abandonMs }] of jobs.entries()) {
    agenda.schedule(atMs, actor, SEND, i)
    if (abandonMs !== undefined) agenda.schedule(abandonMs, actor, LEAVE, i)
  }
  for (const [i, { atMs }] of changes.entries()) agenda.schedule(atMs, actor, 2, i)
  agenda.runUntil(1e9)
  return ends
}
