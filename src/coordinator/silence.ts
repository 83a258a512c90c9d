import type { Learner, Sample } from '../learners/learner-interface.ts'
import { type ArrivalRate, observeArrivals } from './arrival-rate.ts'

/** A shorter time without reports is the jitter of reports, no silence. */
const SILENCE_FROM_MS = 4000
/** More of it teaches nothing more. */
const LONGEST_MS = 120_000

/** Has nobody reported for so long that what was reported before says nothing about now? */
export const isSilence = (ms: number): boolean => ms >= SILENCE_FROM_MS

/** The time since the last tick in which nobody reported; 0: none. */
export function silenceMs(lastTickMs: number, lengthMs: number, nowMs: number): number {
  const ms = nowMs - lastTickMs - lengthMs
  return ms < SILENCE_FROM_MS ? 0 : Math.min(LONGEST_MS, ms)
}

/** Silence is time without arrivals: they are forgotten in it as in any other time. */
export function arrivalsAfterSilence(
  arrivals: Readonly<Record<string, ArrivalRate>>,
  ms: number,
): Readonly<Record<string, ArrivalRate>> {
  if (ms === 0) return arrivals
  return Object.fromEntries(
    Object.entries(arrivals).map(([key, rate]) => [key, observeArrivals(rate, 0, ms / 1000)]),
  )
}

/** The learner sees empty ticks, so that a probability or a surge of before does not outlast the silence. */
export function learnSilence(learner: Learner, sample: Sample, tickMs: number, ms: number): void {
  const none = { sessions: 0, requests: 0 }
  const empty: Sample = {
    lengthMs: tickMs,
    granularity: sample.granularity,
    offered: none,
    admitted: none,
    goodput: 0,
    failures: 0,
    inFlight: 0,
    tiers: sample.tiers.map((tier) => ({
      ...tier,
      completed: 0,
      late: 0,
      latencyUs: 0,
      latency: [],
    })),
    classes: sample.classes.map((one) => ({
      ...one,
      offered: 0,
      admitted: 0,
      latency: [],
      failures: 0,
    })),
    ages: [],
    capacity: [],
  }
  for (let left = ms; left >= tickMs; left -= tickMs) learner.update(empty)
}
