import { type Draws, rounded } from './draws.ts'
import type {
  ArrivalShape,
  ClassSpec,
  OriginSpec,
  SessionSpec,
  SlaSpec,
  TrafficSpec,
} from './spec.ts'

/** Longer sessions would need longer runs. */
const LONGEST_SESSION_MS = 60_000
/** Who waits for ever waits as long as the gate does. */
const FOR_EVER_MS = 30_000

export interface TrafficDraws {
  readonly draws: Draws
  readonly origin: OriginSpec
  readonly sla: SlaSpec
  readonly session: SessionSpec | null
  readonly overload: number
}

export function drawSession(draws: Draws): SessionSpec | null {
  const isSession = draws.chance(0.5)
  const pages = draws.logWhole(2, 20)
  const thinkMs = draws.logUniform(200, 10_000, 0)
  const length = draws.chance(0.5) ? 'fixed' : 'geometric'
  if (!isSession) return null
  return { pages, length, thinkMs: Math.min(thinkMs, Math.floor(LONGEST_SESSION_MS / pages)) }
}

export function drawTraffic({ draws, origin, sla, session, overload }: TrafficDraws): TrafficSpec {
  const capacity = (origin.servers * 1000) / origin.service.meanMs
  const saturationRate = capacity / (session?.pages ?? 1)
  const calm = draws.uniform(0.3, 0.7, 2)
  const arrivals = drawShape(draws)
  const isPatient = draws.chance(0.2)
  const patienceMs = Math.min(FOR_EVER_MS, rounded(sla.targetMs * draws.logUniform(1.2, 8), 0))
  const isRetrying = draws.chance(0.5)
  const atOnce = draws.uniform(0, 0.4, 2)
  const asTold = draws.uniform(0, 0.5, 2)
  const isResending = draws.chance(0.3)
  const resend = { most: draws.whole(1, 3), afterMs: draws.logUniform(200, 2000, 0) }
  return {
    session,
    saturationRate,
    calm,
    overload,
    arrivals,
    patienceMs: isPatient ? FOR_EVER_MS : patienceMs,
    retries: isRetrying ? { atOnce, asTold, most: 5 } : { atOnce: 0, asTold: 0, most: 1 },
    resend: isResending ? resend : null,
    classes: drawClasses(draws, saturationRate),
  }
}

function drawShape(draws: Draws): ArrivalShape {
  const shape = draws.weighted({ step: 40, ramp: 20, pulses: 20, waves: 20 })
  switch (shape) {
    case 'step':
      return { shape }
    case 'ramp':
      return { shape, riseS: draws.uniform(20, 120, 0) }
    case 'pulses':
      return { shape, periodS: draws.uniform(20, 80, 0), duty: draws.uniform(0.3, 0.7, 2) }
    case 'waves':
      return { shape, periodS: draws.uniform(40, 160, 0) }
  }
}

const NAMES = ['gold', 'silver', 'bronze'] as const

function drawClasses(draws: Draws, saturationRate: number): readonly ClassSpec[] {
  if (!draws.chance(0.25)) return []
  const count = draws.whole(2, 3)
  const ratio = draws.uniform(2, 5, 1)
  const isPromised = draws.chance(0.5)
  const parts = [draws.uniform(0.05, 0.3, 2), ...(count === 3 ? [draws.uniform(0.1, 0.4, 2)] : [])]
  const rest = rounded(1 - parts.reduce((sum, part) => sum + part, 0), 2)
  return [...parts, rest].map((part, rank) => ({
    name: NAMES[rank]!,
    value: rounded(ratio ** (count - 1 - rank), 2),
    part,
    guaranteed: rank === 0 && isPromised ? rounded(0.05 * saturationRate, 3) : 0,
  }))
}
