/**
 * C, from the utilisation law: while the origin is backlogged, its goodput is its capacity. Goodput while the
 * own limit binds is not: it would talk itself down.
 */
export interface Capacity {
  /** C in requests per second; null: the origin has never been seen backlogged. */
  readonly rate: number | null
  /** Completions behind it. */
  readonly weight: number
  /** The largest that was ever measured, for the way back. */
  readonly best: number
  readonly episode: Episode | null
}

/** A backlog that has not ended. */
export interface Episode {
  readonly completions: number
  readonly seconds: number
  /** The capacity was found changed in this episode: it is refined until the end. */
  readonly changed: boolean
}

export const NO_CAPACITY: Capacity = { rate: null, weight: 0, best: 0, episode: null }

export interface BacklogTick {
  readonly backlogged: boolean
  readonly served: number
  readonly seconds: number
  /** Squared coefficient of variation of the service: a count of completions varies by at least as much. */
  readonly variation: number
}

const CERTAIN = 3
const ENOUGH = 50
const FIRST = 30
const MOST_WEIGHT = 1500
/** An episode remembers about so many completions: a loss within a backlog must show as well. */
const EPISODE_MEMORY = 300

export interface CapacityStep {
  readonly capacity: Capacity
  /** Found or found changed in this tick. */
  readonly changed: boolean
}

export function observeCapacity(capacity: Capacity, tick: BacklogTick): CapacityStep {
  if (!tick.backlogged) return { capacity: { ...capacity, episode: null }, changed: false }
  if (capacity.episode === null) {
    // The tick that shows the backlog is left out: a chance dip of the goodput helped to show it.
    const episode = { completions: 0, seconds: 0, changed: false }
    return { capacity: { ...capacity, episode }, changed: false }
  }
  const episode = grow(capacity.episode, tick)
  const measured = episode.completions / episode.seconds
  const { rate } = capacity
  if (rate === null || episode.changed) {
    if (episode.completions < FIRST) return { capacity: { ...capacity, episode }, changed: false }
    return { capacity: adopt(capacity, episode, measured), changed: true }
  }
  const spread =
    (Math.max(1, Math.sqrt(tick.variation)) * measured) / Math.sqrt(episode.completions)
  if (episode.completions >= ENOUGH && Math.abs(measured - rate) > CERTAIN * spread) {
    return { capacity: adopt(capacity, episode, measured), changed: true }
  }
  const weight = Math.min(capacity.weight + tick.served, MOST_WEIGHT)
  const blended = rate + (tick.served - rate * tick.seconds) / Math.max(weight, 1)
  return {
    capacity: { rate: blended, weight, best: Math.max(capacity.best, blended), episode },
    changed: false,
  }
}

function grow(episode: Episode, { served, seconds }: BacklogTick): Episode {
  const completions = episode.completions + served
  const seconds_ = episode.seconds + seconds
  const keep = Math.min(1, EPISODE_MEMORY / Math.max(completions, 1))
  return { ...episode, completions: completions * keep, seconds: seconds_ * keep }
}

function adopt(capacity: Capacity, episode: Episode, measured: number): Capacity {
  return {
    rate: measured,
    weight: episode.completions,
    best: Math.max(capacity.best, measured),
    episode: { ...episode, changed: true },
  }
}

/** An announced change: knowledge scales by ρ (soc.md §5.3). */
export function scaleCapacity(capacity: Capacity, ratio: number): Capacity {
  const { rate, best } = capacity
  return {
    rate: rate === null ? null : rate * ratio,
    weight: capacity.weight / 4,
    best: Math.max(best, (rate ?? 0) * ratio),
    episode: null,
  }
}
