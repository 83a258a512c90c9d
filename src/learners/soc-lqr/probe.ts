import { atLeastZero, object, type StateSchema } from '../../lib/state-schema.ts'

/**
 * Capacity that comes back shows only to those who try. At its limit an origin queues every now and then; when it
 * has not for several times as long as is usual, the load is raised beyond the capacity measured last: to what would
 * be just too much, then, while no queueing answers, further and further.
 */
export interface Probe {
  /** Completions since queueing was last seen: at the limit, or while the raised load was carried. */
  readonly quiet: number
  /** For so long at this stage, without queueing. */
  readonly seconds: number
  /** How many completions without queueing are usual at the limit. */
  readonly usual: number
  /** Raised this often: 0 means that the load is within the measured capacity. */
  readonly stage: number
  /** Probes that queueing answered since one was right: the next one waits longer. */
  readonly failed: number
}

export const NO_PROBE: Probe = { quiet: 0, seconds: 0, usual: 100, stage: 0, failed: 0 }

/** Load in units of the measured capacity, by stage. */
const LOADS = [0, 1.03, 1.12, 1.3] as const
const LAST_STAGE = 3
const MOST_LOAD = 1.5
const FEWEST = 300
const CONFIRMED = 200
const PATIENCE = 3
const MOST_FAILED = 5
/** A failure is forgotten after so many completions: what was not there then may be there now. */
const FORGIVEN = 5000
const AT_LIMIT = 0.9
const CARRIED = 0.95
const QUEUEING = 0.3
const ANSWERED = 0.6
const LEAST_CERTAINTY = 0.3

export const isProbe: StateSchema = (value) =>
  object({
    quiet: atLeastZero,
    seconds: atLeastZero,
    usual: atLeastZero,
    stage: (stage) => stage === 0 || stage === 1 || stage === 2 || stage === LAST_STAGE,
    failed: atLeastZero,
  })(value)

export interface ProbeEvidence {
  /** In units of the measured capacity: the load, and what it may be without a probe. */
  readonly load: number
  readonly limit: number
  readonly completions: number
  readonly seconds: number
  /** Waits no less than this before it starts. */
  readonly patienceS: number
  /** Wait in units of half the slack. */
  readonly queueing: number
  /** How well the capacity is known, from 0 to 1: doubts are looked into sooner. */
  readonly certainty: number
}

/**
 * The load that a probe asks for, in units of the measured capacity; 0: none. A capacity remembered from before is
 * tried at once when it is sure that there is more.
 */
export function probedLoad({ stage }: Probe, remembered: number): number {
  if (stage < LAST_STAGE) return LOADS[stage]!
  return Math.min(MOST_LOAD, Math.max(LOADS[LAST_STAGE], remembered))
}

export function observeProbe(before: Probe, evidence: ProbeEvidence): Probe {
  const { load, limit, queueing, completions } = evidence
  const probe = { ...before, failed: Math.max(0, before.failed - completions / FORGIVEN) }
  if (queueing > ANSWERED) return endProbe(probe)
  if (queueing > QUEUEING) return { ...probe, quiet: 0, seconds: 0, usual: usualOf(probe) }
  const quiet = probe.quiet + completions
  if (probe.stage > 0) {
    if (load < CARRIED * LOADS[probe.stage]!) return probe
    if (quiet < CONFIRMED) return { ...probe, quiet }
    return { ...probe, quiet: 0, stage: Math.min(probe.stage + 1, LAST_STAGE) }
  }
  if (load < AT_LIMIT * limit) return probe
  const seconds = probe.seconds + evidence.seconds
  const longer = 2 ** probe.failed * Math.max(LEAST_CERTAINTY, evidence.certainty)
  const due = quiet >= Math.max(FEWEST, PATIENCE * probe.usual) * longer
  if (!due || seconds < evidence.patienceS * longer) return { ...probe, quiet, seconds }
  return { ...probe, quiet: 0, seconds: 0, stage: 1 }
}

/** Queueing answered: the room is what was measured. */
export function endProbe(probe: Probe): Probe {
  const { stage, failed } = probe
  const tries = stage === LAST_STAGE ? 0 : stage > 0 ? failed + 1 : failed
  return {
    quiet: 0,
    seconds: 0,
    usual: usualOf(probe),
    stage: 0,
    failed: Math.min(tries, MOST_FAILED),
  }
}

function usualOf({ stage, usual, quiet }: Probe): number {
  return stage > 0 || quiet === 0 ? usual : usual + 0.1 * (quiet - usual)
}
