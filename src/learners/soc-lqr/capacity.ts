import { atLeastZero, flag, nullable, object, type StateSchema } from '../../lib/state-schema.ts'

/**
 * C, from the utilisation law: while the origin is backlogged, its goodput is its capacity. Goodput while the
 * own limit binds is not: it would talk itself down.
 */
export interface Capacity {
  /** C in requests per second, as measured; null: the origin has never been seen backlogged. */
  readonly rate: number | null
  /** Completions behind it. */
  readonly weight: number
  /** Believed on top of it, because the trim is at its end: no more than the measurement may be wrong by. */
  readonly extra: number
  /** The largest that was well known, for the way back. */
  readonly best: number
  readonly carried: Count
  readonly episode: Episode | null
  /** Ticks in a row in which it stood still. */
  readonly still: number
}

interface Count {
  readonly completions: number
  readonly seconds: number
}

/** A backlog that has not ended. */
interface Episode extends Count {
  /** The capacity was found changed in this episode: it is refined until the end. */
  readonly changed: boolean
}

const NOTHING: Count = { completions: 0, seconds: 0 }

export const NO_CAPACITY: Capacity = {
  rate: null,
  weight: 0,
  extra: 0,
  best: 0,
  carried: NOTHING,
  episode: null,
  still: 0,
}

const count = { completions: atLeastZero, seconds: atLeastZero }

export const isCapacity: StateSchema = object({
  rate: nullable(atLeastZero),
  weight: atLeastZero,
  extra: atLeastZero,
  best: atLeastZero,
  carried: object(count),
  episode: nullable(object({ ...count, changed: flag })),
  still: atLeastZero,
})

/** C as it is believed; null: not known. */
export function believedRate({ rate, extra }: Capacity): number | null {
  return rate === null ? null : rate + extra
}

export interface BacklogTick {
  readonly served: number
  readonly seconds: number
  readonly backlogged: boolean
  /** Enough waited when it began to show the capacity, whether that was a backlog or not. */
  readonly busy: boolean
  /** What waited when it began and what came suffice to keep the origin busy to its end. */
  readonly fed: boolean
  /** A cap on requests in flight holds the queue down meanwhile: there is time to see whether a loss lasts. */
  readonly guarded: boolean
  /** Requests whose clients went away: work was done for nobody, so goodput is less than capacity. */
  readonly vanished: number
  /** Squared coefficient of variation of the service: counts of completions vary with it. */
  readonly variation: number
}

export interface CapacityStep {
  readonly capacity: Capacity
  /** Found, or found changed, in this tick. */
  readonly changed: boolean
}

/** A change is real beyond so many deviations: at 2, tested every second, false ones came every ten minutes. */
const CERTAIN = 3.5
const ENOUGH = 50
const FIRST = 30
const MOST_WEIGHT = 4000
/** An episode remembers about so many completions: a loss within a backlog must show as well. */
const EPISODE_MEMORY = 600
const CARRIED_MEMORY = 400
/** Less than this part of what is expected may be a pause, as of a garbage collection; after two ticks it is a loss. */
const PAUSED = 0.25
/** The same where the queue is held down meanwhile: a pause may fall into two ticks. */
const PAUSED_GUARDED = 0.75
const LONGEST_PAUSE = 2

export function observeCapacity(before: Capacity, tick: BacklogTick): CapacityStep {
  if (standsStill(before, tick)) {
    return { capacity: { ...before, still: before.still + 1 }, changed: false }
  }
  const capacity = carry({ ...before, still: 0 }, tick)
  const { rate, episode } = capacity
  const shown = tick.backlogged || (tick.busy && rate !== null)
  if (!shown) return { capacity: { ...capacity, episode: null }, changed: false }
  if (episode === null) {
    // The tick that shows a backlog is left out: a dip of the goodput helped to show it. What was known before is not.
    const known = tick.busy && tick.fed && rate !== null
    const opened = { ...(known ? add(NOTHING, tick, EPISODE_MEMORY) : NOTHING), changed: false }
    return { capacity: { ...capacity, episode: opened }, changed: false }
  }
  if (!tick.fed) return { capacity, changed: false }
  return measure(capacity, episode, tick)
}

/** Far less comes out than should: a pause tells nothing of how fast it is when it goes on. */
function standsStill({ rate, still }: Capacity, tick: BacklogTick): boolean {
  if (rate === null || still >= LONGEST_PAUSE) return false
  const { served, guarded, variation } = tick
  const expected = rate * tick.seconds
  const chance = CERTAIN * Math.sqrt(expected * Math.max(1, variation))
  return served < (guarded ? PAUSED_GUARDED : PAUSED) * expected && expected - served > chance
}

function measure(capacity: Capacity, running: Episode, tick: BacklogTick): CapacityStep {
  const { rate } = capacity
  if (rate !== null && running.completions >= ENOUGH && tick.vanished > 0.05 * tick.served) {
    // Somewhere between what was served and what left: only what is outside of that says anything.
    const served = Math.min(tick.served + tick.vanished, Math.max(tick.served, rate * tick.seconds))
    return { capacity: blend(capacity, rate, { ...tick, served }), changed: running.changed }
  }
  const episode = { ...add(running, tick, EPISODE_MEMORY), changed: running.changed }
  const measured = episode.completions / episode.seconds
  const spread =
    Math.max(1, Math.sqrt(tick.variation)) *
    Math.hypot(
      measured / Math.sqrt(Math.max(1, episode.completions)),
      (rate ?? 0) / Math.sqrt(Math.max(1, capacity.weight)),
    )
  const differs = rate !== null && Math.abs(measured - rate) > CERTAIN * spread
  const changed =
    rate === null || episode.changed
      ? episode.completions >= FIRST
      : episode.completions >= ENOUGH && differs
  if (changed) return { capacity: adopt(capacity, episode, measured), changed: true }
  if (rate === null) return { capacity: { ...capacity, episode }, changed: false }
  return { capacity: { ...blend(capacity, rate, tick), episode }, changed: false }
}

/** What the origin carries it can carry: the capacity is no less, whatever was measured before. */
function carry(capacity: Capacity, tick: BacklogTick): Capacity {
  const carried = add(capacity.carried, tick, CARRIED_MEMORY)
  const full = carried.completions >= 0.99 * CARRIED_MEMORY
  const proven = (carried.completions / carried.seconds) * (1 - 2 / Math.sqrt(CARRIED_MEMORY))
  if (capacity.rate === null || !full || proven <= capacity.rate) return { ...capacity, carried }
  const weight = Math.min(capacity.weight, CARRIED_MEMORY / 2)
  return { ...capacity, carried, rate: proven, weight, extra: 0 }
}

/** Found without a backlog. */
export function foundCapacity(capacity: Capacity, rate: number, weight: number): Capacity {
  return { ...capacity, rate, weight, extra: 0 }
}

/** Queueing answered a load beyond what was measured: what was carried then is the capacity, or nearly. */
export function takeCarried(capacity: Capacity): Capacity {
  const { rate, carried } = capacity
  if (rate === null || carried.completions < CARRIED_MEMORY / 2) return capacity
  const goodput = carried.completions / carried.seconds
  if (goodput <= rate) return capacity
  return { ...capacity, rate: goodput, weight: carried.completions / 2, extra: 0 }
}

function add(count: Count, { served, seconds }: BacklogTick, memory: number): Count {
  const completions = count.completions + served
  const keep = Math.min(1, memory / Math.max(completions, 1))
  return { completions: completions * keep, seconds: (count.seconds + seconds) * keep }
}

/** Completions over time, where what is known counts with the time that it took to see. */
function blend(capacity: Capacity, rate: number, { served, seconds }: BacklogTick): Capacity {
  if (rate <= 0) return { ...capacity, rate: served / seconds, weight: served }
  const knownS = Math.min(capacity.weight, MOST_WEIGHT) / rate
  const blended = (rate * knownS + served) / (knownS + seconds)
  const extra = (capacity.extra * knownS) / (knownS + seconds)
  return { ...capacity, rate: blended, extra, weight: blended * (knownS + seconds) }
}

function adopt(capacity: Capacity, episode: Episode, measured: number): Capacity {
  const { rate, weight, best } = capacity
  const known = rate !== null && weight >= EPISODE_MEMORY / 2
  return {
    rate: measured,
    weight: episode.completions,
    extra: 0,
    best: known ? Math.max(best, rate) : best,
    carried: NOTHING,
    episode: { ...episode, changed: true },
    still: 0,
  }
}

/** Too little is over the target although the trim is at its end: there may be more than was measured. */
export function raiseCapacity(capacity: Capacity, by: number, variation: number): Capacity {
  const { rate, weight, extra } = capacity
  if (rate === null || by <= 0) return capacity
  const doubt = (2 * Math.max(0.2, Math.sqrt(variation)) * rate) / Math.sqrt(Math.max(weight, 1))
  return { ...capacity, extra: Math.min(extra + by, Math.max(extra, doubt)) }
}

/** An announced change: knowledge scales by ρ (Bartolini et al. 2009, §5.3). */
export function scaleCapacity(capacity: Capacity, ratio: number): Capacity {
  const { rate, best, extra } = capacity
  return {
    rate: rate === null ? null : rate * ratio,
    weight: Math.min(capacity.weight, CARRIED_MEMORY),
    extra: extra * ratio,
    best: Math.max(best, rate ?? 0),
    carried: NOTHING,
    episode: null,
    still: 0,
  }
}
