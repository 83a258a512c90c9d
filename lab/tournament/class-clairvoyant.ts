import type { RateProfile } from '../clients/rates.ts'
import type { BestLoad } from '../gate/clairvoyant.ts'
import type { PolicyFactory } from '../gate/policy.ts'

/** Future arrivals, which only a clairvoyant knows. */
export interface Demand {
  readonly arrivals: RateProfile
  /** Share of the arrivals in each class, most valuable first. */
  readonly mix: readonly number[]
  /** Arrivals per second that fill the origin. */
  readonly saturationRate: number
}

/**
 * Above this share of the best load the clairvoyant reports no room: the difference would be noise.
 */
const AMPLE = 0.9

/**
 * A clairvoyant that knows the value of each class. Of the best load, a class leaves free `reserve`
 * times the current demand of more valuable classes: almost nothing when they are few, nearly all
 * when they fill the origin by themselves.
 */
export function clairvoyantByClass(
  granularity: 'session' | 'request',
  most: BestLoad,
  reserve: number,
  { arrivals, mix, saturationRate }: Demand,
): PolicyFactory {
  const before = mix.map((_, rank) => mix.slice(0, rank).reduce((sum, part) => sum + part, 0))
  return (view, _setting, { agenda }) => {
    const load = () => (granularity === 'session' ? view.activeSessions : view.inFlight)
    const mostFor = (rank: number) => {
      const asked = Math.min(1, (before[rank]! * arrivals.rateAt(agenda.nowMs)) / saturationRate)
      return most(view.capacity) * (1 - reserve * asked)
    }
    return {
      admits: (klass) => load() < mostFor(klass),
      // Room for the least valuable class is room for all.
      hasRoom: () => load() < AMPLE * mostFor(mix.length - 1),
    }
  }
}
