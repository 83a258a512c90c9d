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
  /** Goodput of about the last 400 completions. */
  readonly carried: Carried
  readonly episode: Episode | null
}

interface Carried {
  readonly completions: number
  readonly seconds: number
}

/** A backlog that has not ended. */
export interface Episode {
  readonly completions: number
  readonly seconds: number
  /** The capacity was found changed in this episode: it is refined until the end. */
  readonly changed: boolean
}

export const NO_CAPACITY: Capacity = {
  rate: null,
  weight: 0,
  best: 0,
  carried: { completions: 0, seconds: 0 },
  episode: null,
}

export interface BacklogTick {
  readonly backlogged: boolean
  /** There was enough waiting when the tick began to keep the origin busy to its end. */
  readonly busy: boolean
  /** Requests whose clients went away: work was done for nobody, so goodput is less than capacity. */
  readonly vanished: number
  readonly served: number
  readonly seconds: number
  /** Squared coefficient of variation of the service: a count of completions varies by at least as much. */
  readonly variation: number
}

const CERTAIN = 3.5
const ENOUGH = 50
const FIRST = 30
const MOST_WEIGHT = 4000
/** An episode remembers about so many completions: a loss within a backlog must show as well. */
const EPISODE_MEMORY = 600

export interface CapacityStep {
  readonly capacity: Capacity
  /** Found or found changed in this tick. */
  readonly changed: boolean
}

export function observeCapacity(capacity: Capacity, tick: BacklogTick): CapacityStep {
  return step(carry(capacity, tick), tick)
}

const CARRIED_MEMORY = 400

/** What the origin carries it can carry: the capacity is no less, whatever was measured before. */
function carry(capacity: Capacity, tick: BacklogTick): Capacity {
  const all = capacity.carried.completions + tick.served
  const keep = Math.min(1, CARRIED_MEMORY / Math.max(all, 1))
  const carried = {
    completions: all * keep,
    seconds: (capacity.carried.seconds + tick.seconds) * keep,
  }
  if (capacity.rate === null || all < CARRIED_MEMORY) return { ...capacity, carried }
  const proven = (carried.completions / carried.seconds) * (1 - 2 / Math.sqrt(CARRIED_MEMORY))
  if (proven <= capacity.rate) return { ...capacity, carried }
  return {
    ...capacity,
    carried,
    rate: proven,
    weight: Math.min(capacity.weight, CARRIED_MEMORY / 2),
  }
}

function step(capacity: Capacity, tick: BacklogTick): CapacityStep {
  const { rate } = capacity
  if (!tick.backlogged && !(tick.busy && rate !== null)) {
    return { capacity: { ...capacity, episode: null }, changed: false }
  }
  if (capacity.episode === null) {
    const none = { completions: 0, seconds: 0, changed: false }
    // Unless it was known before: the tick that shows the backlog is left out, a dip of the goodput helped to show it.
    const episode = tick.busy && rate !== null ? grow(none, tick) : none
    return { capacity: { ...capacity, episode }, changed: false }
  }
  if (
    rate !== null &&
    capacity.episode.completions >= ENOUGH &&
    tick.vanished > 0.05 * tick.served
  ) {
    // Between what was served and what left there is no saying what work was done.
    const served = Math.min(tick.served + tick.vanished, Math.max(tick.served, rate * tick.seconds))
    return {
      capacity: blend(capacity, rate, { ...tick, served }),
      changed: capacity.episode.changed,
    }
  }
  const episode = grow(capacity.episode, tick)
  const measured = episode.completions / episode.seconds
  if (rate === null || episode.changed) {
    if (episode.completions < FIRST) return { capacity: { ...capacity, episode }, changed: false }
    return { capacity: adopt(capacity, episode, measured), changed: true }
  }
  const spread =
    Math.max(1, Math.sqrt(tick.variation)) *
    Math.hypot(measured / Math.sqrt(episode.completions), rate / Math.sqrt(capacity.weight))
  if (episode.completions >= ENOUGH && Math.abs(measured - rate) > CERTAIN * spread) {
    return { capacity: adopt(capacity, episode, measured), changed: true }
  }
  return { capacity: { ...blend(capacity, rate, tick), episode }, changed: false }
}

/** Completions over time, where what is known counts with the time that it took to see. */
function blend(capacity: Capacity, rate: number, { served, seconds }: BacklogTick): Capacity {
  const knownS = Math.min(capacity.weight, MOST_WEIGHT) / rate
  const blended = (rate * knownS + served) / (knownS + seconds)
  return { ...capacity, rate: blended, weight: blended * (knownS + seconds) }
}

function grow(episode: Episode, { served, seconds }: BacklogTick): Episode {
  const completions = episode.completions + served
  const seconds_ = episode.seconds + seconds
  const keep = Math.min(1, EPISODE_MEMORY / Math.max(completions, 1))
  return { ...episode, completions: completions * keep, seconds: seconds_ * keep }
}

function adopt(capacity: Capacity, episode: Episode, measured: number): Capacity {
  const { rate, weight, best } = capacity
  const known = rate !== null && weight >= EPISODE_MEMORY / 2
  return {
    rate: measured,
    weight: episode.completions,
    best: known ? Math.max(best, rate) : best,
    carried: { completions: 0, seconds: 0 },
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
    carried: { completions: 0, seconds: 0 },
    episode: null,
  }
}
