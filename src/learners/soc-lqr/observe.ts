import { histogramTotal } from '../../lib/histogram.ts'
import type { Sample } from '../learner-interface.ts'
import { type Backlog, backlogOf, recentOf } from './backlog.ts'
import { believedRate, observeCapacity, takeCarried } from './capacity.ts'
import { startGrowth } from './growth.ts'
import { isHeld, observeCap } from './in-flight.ts'
import { type InService, observeInService } from './in-service.ts'
import type { Knowledge } from './knowledge.ts'
import type { SocLqrOptions } from './options.ts'
import { type Pool, poolOf } from './pool.ts'
import { endProbe, type Probe } from './probe.ts'
import { type Foreseen, observeSessions } from './sessions.ts'
import type { SocLqrState } from './state.ts'
import type { Tick } from './tick.ts'
import { addToTiers, type Tier } from './tiers.ts'

/** What a tick shows at once; what takes longer to tell is judged by the interval. */
export interface Seen {
  readonly tiers: readonly Tier[]
  readonly pool: Pool
  readonly inService: InService
  readonly vanished: number
  readonly backlog: Backlog
  /** On session routes. */
  readonly foreseen: Foreseen | null
  readonly knowledge: Knowledge
  /** The capacity was found, or found changed. */
  readonly changed: boolean
}

export function observe(
  state: SocLqrState,
  sample: Sample,
  tick: Tick,
  options: SocLqrOptions,
): Seen {
  const served = sample.tiers.map(({ latency }) => histogramTotal(latency))
  const tiers = addToTiers(state.tiers, sample.tiers, served)
  const pool = poolOf(tiers, sample.tiers)
  const calm = tick.served > 0 && recentOf(state.flow, tick) < state.flow.calmS
  const { inService, vanished } = observeInService(state.inService, tick, calm, pool.targetS)
  const level = { before: state.inService.count, after: inService.count }
  const cap = capInForce(state, tick)
  const backlog = backlogOf(state.flow, tick, pool, {
    ...level,
    capacity: believedRate(state.knowledge.capacity) ?? 0,
    cap,
    limit: state.limit ?? Number.POSITIVE_INFINITY,
    harmless: options.startInService,
  })
  const queued = backlog.waitS >= pool.slackS / 2
  const prior = {
    perSession: options.sessionRequests,
    meanAgeS: options.sessionAgeMs / 1000,
  }
  const { knowledge, changed } = measured(state.knowledge, tick, pool, backlog, {
    vanished,
    guarded: cap < Number.POSITIVE_INFINITY,
  })
  return {
    tiers,
    pool,
    inService,
    vanished,
    backlog,
    changed,
    foreseen: tick.onSessions
      ? observeSessions(state.sessions, tick, { vanished, queued }, prior)
      : null,
    knowledge: {
      ...knowledge,
      growth: startGrowth(knowledge.growth, options.startInService / pool.meanS),
      inFlight: observeCap(knowledge.inFlight, {
        ...level,
        admitted: tick.requests,
        served: tick.served,
      }),
    },
  }
}

function capInForce({ cap, knowledge }: SocLqrState, { onSessions }: Tick): number {
  if (onSessions || cap === null || !isHeld(knowledge.inFlight)) return Number.POSITIVE_INFINITY
  return cap
}

/** Completions that make a measurement of the capacity: with it a probe has its answer. */
const MEASURED = 50

function measured(
  known: Knowledge,
  tick: Tick,
  pool: Pool,
  backlog: Backlog,
  also: { readonly vanished: number; readonly guarded: boolean },
): { readonly knowledge: Knowledge; readonly changed: boolean } {
  const { backlogged } = backlog
  const { capacity, changed } = observeCapacity(known.capacity, {
    served: tick.served,
    seconds: tick.seconds,
    backlogged,
    busy: backlog.busy,
    fed: backlog.fed,
    ...also,
    variation: pool.variation,
  })
  const answered = changed || (capacity.episode?.completions ?? 0) >= MEASURED
  const fresh: Probe = changed && !known.settling ? { ...known.probe, failed: 0 } : known.probe
  const settling = known.settling || changed
  if (!backlogged || backlog.atCap || !answered) {
    return { changed, knowledge: { ...known, capacity, probe: fresh, settling } }
  }
  const taken = fresh.stage > 1 && !changed ? takeCarried(capacity) : capacity
  return { changed, knowledge: { ...known, capacity: taken, probe: endProbe(fresh), settling } }
}
