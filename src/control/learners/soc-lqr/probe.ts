/**
 * Capacity that comes back shows only to those who try. At its limit an origin queues every now and then; when it
 * has not for several times as long as is usual, the load is raised step by step beyond what the capacity
 * measured last would allow, until queueing answers.
 */
export interface Probe {
  /** Completions at the limit since queueing was last seen. */
  readonly quiet: number
  /** How many that usually are. */
  readonly usual: number
  /** The load may be this many times what the measured capacity allows. */
  readonly factor: number
  readonly step: number
}

const FIRST_STEP = 0.03
const MOST_STEP = 0.24
const MOST_FACTOR = 1.5
const FEWEST = 300
const PATIENCE = 4
const AT_LIMIT = 0.9
const QUEUEING = 0.3
const ANSWERED = 0.6

export const NO_PROBE: Probe = { quiet: 0, usual: 100, factor: 1, step: FIRST_STEP }

export interface ProbeEvidence {
  readonly load: number
  readonly limit: number
  readonly completions: number
  readonly queueing: number
  /** A capacity known from before, as a multiple of the present one. */
  readonly remembered: number
}

export function observeProbe(probe: Probe, evidence: ProbeEvidence): Probe {
  const { load, limit, queueing } = evidence
  if (queueing > ANSWERED) return holdProbe(probe, load / limit)
  if (queueing > QUEUEING) return { ...probe, quiet: 0, usual: usualOf(probe) }
  if (load < AT_LIMIT * limit) return probe
  const quiet = probe.quiet + evidence.completions
  // The second step and those after it ask for less: more load would have made itself felt sooner.
  const patience = probe.factor > 1 ? FEWEST : Math.max(FEWEST, PATIENCE * probe.usual)
  if (quiet < patience) return { ...probe, quiet }
  const confirmed = probe.factor > 1 && evidence.remembered > probe.factor
  const factor = confirmed ? evidence.remembered : probe.factor * (1 + probe.step)
  return {
    ...probe,
    quiet: 0,
    factor: Math.min(MOST_FACTOR, factor),
    step: Math.min(MOST_STEP, 2 * probe.step),
  }
}

/** Queueing answered: not more than what is carried now, until the capacity is measured. */
export function holdProbe(probe: Probe, carried: number): Probe {
  const factor = Math.max(1, probe.factor * Math.min(1, carried))
  return { ...NO_PROBE, usual: usualOf(probe), factor }
}

/** The capacity has been measured: it says how much room there is. */
export function endProbe(probe: Probe): Probe {
  return { ...NO_PROBE, usual: usualOf(probe) }
}

function usualOf({ factor, usual, quiet }: Probe): number {
  return factor > 1 || quiet === 0 ? usual : usual + 0.1 * (quiet - usual)
}
