import type { RateProfile } from '../clients/rates.ts'
import type { BestLoad } from '../gate/clairvoyant.ts'
import type { PolicyFactory } from '../gate/policy.ts'

/** Who comes when: only a clairvoyant knows. */
export interface Demand {
  readonly arrivals: RateProfile
  /** Part of the arrivals in each class, most valuable first. */
  readonly mix: readonly number[]
  /** Arrivals per second that fill the origin. */
  readonly saturationRate: number
}

/** With so much of the best load there is no room to speak of: the difference is noise. */
const AMPLE = 0.9

/**
 * A clairvoyant who knows what each class is worth: of the best load, a class leaves free `reserve` times what
 * the more valuable ones ask for at this moment. In calm that is next to nothing; when they fill the origin
 * by themselves it is nearly all.
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
      // Whoever was refused: room for the least of them is room for all.
      hasRoom: () => load() < AMPLE * mostFor(mix.length - 1),
    }
  }
}
