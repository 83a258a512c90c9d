import { quantileMs } from '../../src/lib/histogram.ts'
import { runCrowd } from '../crowd/run.ts'
import { type LocalGate, startLocalGate } from '../local-gate.ts'
import { type RunningAttack, startAttack } from './attack.ts'
import { type AttackPhases, phasesOf } from './attack-table.ts'
import { capacityPerSecond } from './capacity.ts'
import { isMet, type Measures, measure } from './measures.ts'
import { startOrigin } from './origin.ts'
import type { OriginStats } from './origin-messages.ts'
import { type PartCounts, type SecondCounts, TrialCounts } from './second-counts.ts'
import { sessionsOf } from './sessions.ts'
import { DEFAULT_GOAL, onsetS, SETTLE_S, type TrialCase } from './trial-case.ts'

export interface TrialResult extends Measures {
  readonly name: string
  readonly seconds: number
  readonly onsetS: number
  /** At the start. */
  readonly capacityPerSecond: number
  readonly goal: number
  /** Share, late share and sessions cut are as they should be. */
  readonly met: boolean
  readonly cut: number
  readonly parts: Readonly<Record<string, PartCounts>>
  readonly failures: Readonly<Record<string, number>>
  readonly bySecond: readonly SecondCounts[]
  /** null: there was no attack. */
  readonly attack: AttackPhases | null
  readonly origin: OriginStats
  /** How well the generator kept to its schedule; `cpu` 1 is one core. */
  readonly generator: {
    readonly cpu: number
    readonly lagP50Ms: number
    readonly lagP99Ms: number
    readonly dropped: number
  }
  /** False if the trial was interrupted. */
  readonly complete: boolean
}

export interface TrialProgress {
  readonly name: string
  readonly elapsedMs: number
  readonly seconds: number
  readonly onsetS: number
  /** The last whole second. */
  readonly second: SecondCounts
}

export interface TrialOptions {
  readonly seed: number
  /** @default `SETTLE_S` */
  readonly settleS?: number
}

const PROGRESS_MS = 250
const MOST_SOCKETS = 3000

/** One trial: an origin process, the gate in workerd, and a crowd in this process. */
export async function runTrial(
  trial: TrialCase,
  { seed, settleS = SETTLE_S }: TrialOptions,
  onProgress: (progress: TrialProgress) => void,
  signal: AbortSignal,
): Promise<TrialResult> {
  const { name, seconds, crowd, goal = DEFAULT_GOAL } = trial
  const capacity = capacityPerSecond(trial)
  const origin = await startOrigin({ world: trial.origin, seed })
  let gate: LocalGate | undefined
  let progress: NodeJS.Timeout | undefined
  let attack: RunningAttack | undefined
  let counts = new TrialCounts(trial.targetMs, () => 0)
  try {
    gate = await startLocalGate({
      config: configOf(trial, origin.url),
      port: 0,
      log: (line) => console.error(line),
    })
    const stopped = new AbortController()
    void gate.ended.then(() => stopped.abort())
    const facts = await runCrowd(
      {
        target: gate.url,
        sessions: sessionsOf(trial, seed),
        seconds,
        patienceMs: crowd.patienceMs,
        retry: crowd.retry ?? { kind: 'never', most: 0 },
        mostSockets: MOST_SOCKETS,
        userAgent: 'tidegate-trial',
      },
      (nowMs) => {
        counts = new TrialCounts(trial.targetMs, nowMs)
        origin.start()
        if (trial.attack !== undefined) attack = startAttack(trial.attack, gate!.url)
        progress = setInterval(() => {
          const elapsedMs = nowMs()
          const second = counts.bySecond(elapsedMs / 1000).at(-1)
          if (second === undefined) return
          onProgress({ name, elapsedMs, seconds, onsetS: onsetS(trial), second })
        }, PROGRESS_MS)
        return counts
      },
      AbortSignal.any([signal, stopped.signal]),
    )
    if (stopped.signal.aborted && !signal.aborted)
      throw new Error('workerd has stopped: see its output above')
    const ranS = Math.min(seconds, facts.elapsedMs / 1000)
    const bySecond = counts.bySecond(ranS)
    const measures = measure(trial, bySecond, settleS)
    return {
      name,
      seconds,
      onsetS: onsetS(trial),
      capacityPerSecond: capacity,
      goal,
      met: isMet(trial, { ...measures, cut: counts.cut }),
      ...measures,
      cut: counts.cut,
      parts: counts.parts,
      failures: counts.failures,
      bySecond,
      attack:
        trial.attack === undefined
          ? null
          : phasesOf(bySecond, trial.attack, onsetS(trial) + settleS, attack!.sent()),
      origin: await origin.stats(),
      generator: {
        cpu: facts.cpuMs / facts.elapsedMs,
        lagP50Ms: quantileMs(facts.lags, 0.5) ?? 0,
        lagP99Ms: quantileMs(facts.lags, 0.99) ?? 0,
        dropped: counts.dropped,
      },
      complete: !signal.aborted,
    }
  } finally {
    clearInterval(progress)
    attack?.stop()
    await gate?.close()
    await origin.close()
  }
}

/** Without a waiting room: what the crowd does when it is refused is a part of the trial. */
export function configOf({ route, targetMs, percentile = 95 }: TrialCase, origin: string) {
  const sla = { percentile, targetMs }
  return { routes: [{ ...route, match: '/*', origin, sla, whenFull: 'refuse' }] }
}
