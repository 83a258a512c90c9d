import type { Measured } from '../gate/measures.ts'
import type { PolicyFactory, View } from '../gate/policy.ts'
import { runPlant } from '../gate/run-plant.ts'
import type { BestLoads } from '../tournament/best-load-table.ts'
import { CLAIRVOYANT, play } from '../tournament/policies.ts'
import type { Contest } from '../tournament/scenario.ts'
import { bestLoadsOf } from './best.ts'
import { calibrationSeedsOf, contestOf, runSeedOf, type WorldBest } from './contest.ts'
import { GUARDS } from './guard.ts'
import type { WorldSpec } from './spec.ts'

/** What both clairvoyants of a world hold and reach. */
export interface Clairvoyants {
  readonly best: WorldBest
  readonly constant: Reached
  readonly varying: Reached & { readonly factors: readonly number[] }
}

export type Reached = Pick<Measured, 'inSlaValue' | 'windows' | 'windowsMissed'>

/** How much lesser classes leave free of what better ones ask for: tried where there are classes. */
const RESERVES = [0, 0.25, 0.5, 0.75, 1]
/** Factors on the loads: some origins collapse now and then at what is best in a short run. */
const SCALES = [1, 0.93, 0.85, 1.1, 1.25]

export async function clairvoyantsOf(world: WorldSpec): Promise<Clairvoyants> {
  const loads = bestLoadsOf(world)
  const best = bestOf(world, loads)
  const contest = contestOf(world, best)
  const constant = reachedOf(await play(contest, CLAIRVOYANT, runSeedOf(world)))
  return { best, constant, varying: searchVarying(contest, world, constant) }
}

/**
 * From loads that are best in lasting overload to what is best in this world: how much classes leave free, how
 * many requests may be in flight, and all loads times a factor. By trying, with visitors that no policy is judged by.
 */
function bestOf(world: WorldSpec, loads: BestLoads['loads']): WorldBest {
  const { classes, session } = world.traffic
  const seeds = calibrationSeedsOf(world)
  const worth = (best: WorldBest) => {
    const { clairvoyant: policy, ...rest } = contestOf(world, best)
    return seeds.reduce((sum, seed) => sum + worthOf(runPlant({ ...rest, policy, seed })), 0)
  }
  const first = { loads, reserve: 0, guard: GUARDS[0]! }
  const reserve = highest(classes.length === 0 ? [0] : RESERVES, (value) =>
    worth({ ...first, reserve: value }),
  )
  const guard = highest(session === null ? GUARDS.slice(0, 1) : GUARDS, (value) =>
    worth({ ...first, reserve, guard: value }),
  )
  const times = (factor: number): WorldBest => ({
    loads: loads.map(([capacity, load]) => [capacity, load * factor]),
    reserve,
    guard,
  })
  return times(highest(SCALES, (factor) => worth(times(factor))))
}

/** Where the varying clairvoyant may change its load, in seconds after the onset. */
export const CHANGES_AT_S = [0, 5, 15, 45, 120]
const FOR_ALL = [1.1, 0.9, 1.25, 0.8, 1.6, 0.6]
const FOR_ONE = [0.7, 0.88, 1.12, 1.4]
/** Events of the simulator after which the search ends, wherever it is. */
const MOST_EVENTS = 6e6

/**
 * The second clairvoyant: the first one's loads times a factor that changes at stated times. First one
 * factor for the whole surge is looked for, then one after another the factor of each part, always in the
 * very run by which policies are judged. At most 26 runs, and none after `MOST_EVENTS`.
 */
function searchVarying(
  contest: Contest,
  world: WorldSpec,
  constant: Reached,
): Clairvoyants['varying'] {
  const { plant, seconds, measureFromSeconds } = contest
  let found = { ...constant, factors: CHANGES_AT_S.map(() => 1) }
  let events = 0
  const tryFactors = (factors: readonly number[]) => {
    if (events >= MOST_EVENTS) return
    const policy = scaled(contest.clairvoyant, world.onsetS, factors)
    const run = runPlant({ plant, policy, seed: runSeedOf(world), seconds, measureFromSeconds })
    events += run.events
    if (worthOf(run) > worthOf(found)) found = { ...reachedOf(run), factors: [...factors] }
  }
  for (const factor of FOR_ALL) tryFactors(CHANGES_AT_S.map(() => factor))
  for (const part of CHANGES_AT_S.keys()) {
    const before = found.factors
    for (const factor of FOR_ONE) {
      tryFactors(before.map((other, i) => (i === part ? other * factor : other)))
    }
  }
  return found
}

/** Load times a factor is room divided by it: the policy sees fewer inside than there are. */
function scaled(policy: PolicyFactory, onsetS: number, factors: readonly number[]): PolicyFactory {
  return (view, setting, world) => {
    const factor = () => {
      const sinceS = world.agenda.nowMs / 1000 - onsetS
      const part = CHANGES_AT_S.findLastIndex((fromS) => sinceS >= fromS)
      return factors[part] ?? 1
    }
    const seen: View = {
      get inFlight() {
        return view.inFlight / factor()
      },
      get activeSessions() {
        return view.activeSessions / factor()
      },
      get capacity() {
        return view.capacity
      },
    }
    return policy(seen, setting, world)
  }
}

/** Windows that miss the target count for nothing, as in `bestLoad`. */
function worthOf({ inSlaValue, windows, windowsMissed }: Reached): number {
  return inSlaValue * (1 - windowsMissed / Math.max(1, windows))
}

function reachedOf({ inSlaValue, windows, windowsMissed }: Reached): Reached {
  return { inSlaValue, windows, windowsMissed }
}

function highest(values: readonly number[], worth: (value: number) => number): number {
  if (values.length === 1) return values[0]!
  let best = { value: values[0]!, worth: Number.NEGATIVE_INFINITY }
  for (const value of values) {
    const own = worth(value)
    if (own > best.worth) best = { value, worth: own }
  }
  return best.value
}
