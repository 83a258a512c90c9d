import { observeBudget } from './budget.ts'
import { believedRate, foundCapacity, raiseCapacity, takeCarried } from './capacity.ts'
import { headroomOf, observeGrowth, shownCapacity } from './growth.ts'
import { isHeld, trimCap } from './in-flight.ts'
import type { Assessment } from './judge.ts'
import { type Knowledge, operatingPart } from './knowledge.ts'
import { observeMemory } from './memory.ts'
import type { SocLqrOptions } from './options.ts'
import type { Pool } from './pool.ts'
import { observeProbe } from './probe.ts'
import { trimmed } from './trim.ts'

export interface LearnGround {
  readonly pool: Pool
  readonly options: SocLqrOptions
  readonly onSessions: boolean
  readonly tickS: number
  /** D; 0 on routes without sessions. */
  readonly lagS: number
  /** The part of the allowance that is steered to. */
  readonly aim: number
  /** Kept busy at its cap when the interval ended. */
  readonly atCap: boolean
  /** Earlier days had more than the limit in the next minutes. */
  readonly isPeakAhead: boolean
}

/** What an interval teaches, once it has been judged. */
export function learn(before: Knowledge, verdict: Assessment, ground: LearnGround): Knowledge {
  const knowledge = restored(before, verdict)
  const capacity = believedRate(knowledge.capacity)
  if (capacity === null) return grown(knowledge, verdict, ground)
  // What was admitted before a change says nothing about the operating point after it.
  if (knowledge.settling) return knowledge
  const { pool, options, aim } = ground
  const part = operatingPart(knowledge, capacity, pool.slackS, options.floor)
  const probe = observeProbe(knowledge.probe, {
    load: verdict.load / capacity,
    limit: part,
    completions: verdict.completed,
    seconds: verdict.seconds,
    // A probe that fails just before a known peak would leave a backlog to it.
    patienceS: (pool.windowS / PATIENCE_WINDOWS) * (ground.isPeakAhead ? PEAK_PATIENCE : 1),
    queueing: verdict.queueing,
    certainty: Math.min(1, knowledge.capacity.weight / WELL_KNOWN),
  })
  const telling = verdict.load >= NEAR_LIMIT * part * capacity || verdict.spent > aim
  const answered = knowledge.probe.stage > 1 && probe.stage === 0
  const probed = {
    ...knowledge,
    probe,
    capacity: answered ? takeCarried(knowledge.capacity) : knowledge.capacity,
  }
  return telling ? tuned(probed, verdict, ground, capacity) : probed
}

/** Slow service was taken for a queue: what was measured and trimmed because of it was for nothing. */
function restored(knowledge: Knowledge, { within }: Assessment): Knowledge {
  const { rate } = knowledge.capacity
  if (rate === null || within === 0) return knowledge
  const { inFlight } = knowledge
  const untrimmed = { ...knowledge, inFlight: { ...inFlight, trim: Math.max(1, inFlight.trim) } }
  if (within * LOWER_END <= rate) return untrimmed
  const capacity = foundCapacity(knowledge.capacity, within * LOWER_END, DOUBTFUL)
  return { ...untrimmed, capacity, settling: false }
}

const LOWER_END = 0.9
const DOUBTFUL = 100
const PATIENCE_WINDOWS = 8
/** Before a known peak probes wait so many times longer. */
const PEAK_PATIENCE = 4
const WELL_KNOWN = 1000
/** Below this part of its limit the load says nothing about the limit. */
const NEAR_LIMIT = 0.85

/** Nothing is known: how much more may come? */
function grown(knowledge: Knowledge, verdict: Assessment, ground: LearnGround): Knowledge {
  const { pool, options, tickS, lagS } = ground
  const growth = observeGrowth(knowledge.growth, {
    load: verdict.load,
    completions: verdict.completed,
    seconds: verdict.seconds,
    spanS: 2 * pool.slackS + pool.meanS + 2 * tickS,
    queueing: verdict.certainQueueing,
    spent: verdict.spent,
    headroom: headroomOf(knowledge.growth, {
      lagS: lagS + 10 * tickS,
      windowS: pool.windowS,
      part: options.overshoot,
    }),
  })
  const shown = shownCapacity(growth)
  if (shown === null) return { ...knowledge, growth }
  const capacity = foundCapacity(knowledge.capacity, shown, growth.recent.completions)
  return { ...knowledge, growth, capacity, settling: true }
}

/** How close to the capacity? */
function tuned(
  knowledge: Knowledge,
  verdict: Assessment,
  ground: LearnGround,
  capacity: number,
): Knowledge {
  const { pool, options, aim } = ground
  const { spent, queueing, seconds, completed, requests } = verdict
  const { windowS, slackS, variation } = pool
  const lagS = ground.lagS + pool.meanS + 2 * ground.tickS + seconds
  const inFlight = ground.onSessions
    ? knowledge.inFlight
    : trimCap(knowledge.inFlight, {
        spent,
        queueing,
        aim: options.aim,
        part: seconds / (3 * lagS),
      })
  const known = {
    ...knowledge,
    inFlight,
    budget: observeBudget(knowledge.budget, { seconds, windowS, completed, spent }),
    memory: observeMemory(knowledge.memory, { seconds, requests, completed, spent, capacity }),
  }
  // While the cap decides, the share over the target tells nothing about the load.
  if (ground.atCap && isHeld(inFlight)) return known
  const { headroom, excess } = trimmed(knowledge.headroom, {
    spent,
    aim,
    queueing,
    seconds,
    windowS,
    lagS,
    variation,
  })
  const raised = raiseCapacity(knowledge.capacity, excess / slackS, variation)
  return { ...known, headroom, capacity: raised }
}
