import type { Mode, Route } from '../../config/config.ts'
import { amountText, partText } from '../../coordinator/operator/wording.ts'
import type { ClassPlan, RoutePlan } from '../../protocol/plan.ts'
import type { QueuePlan } from '../../protocol/queue-plan.ts'

/** What the verdict would be now. */
export interface Foretold {
  /** `draw`: it depends on the draw, with the chance `chance`. `none`: no route takes the request. */
  readonly verdict: 'admit' | 'refuse' | 'queue' | 'draw' | 'none'
  /** One of the words of the header `Tidegate-Verdict`. */
  readonly reason: string | null
  /** From 0 to 1; null: there is no decision. */
  readonly chance: number | null
  /** Is the request let in whatever the verdict is, because the mode is `observe`? */
  readonly isOnlyObserved: boolean
  /** Why, in plain words. */
  readonly text: string
}

export type Facts =
  | { readonly kind: 'no-route' }
  | {
      readonly kind: 'route'
      readonly route: Route
      readonly mode: Mode
      readonly className: string
      /** null: no plan is known. */
      readonly plan: RoutePlan | null
      readonly isBypassed: boolean
      readonly isPreflight: boolean
      readonly hasSession: boolean
      readonly waitS: number
    }

type RouteFacts = Extract<Facts, { readonly kind: 'route' }>

export function foretell(facts: Facts): Foretold {
  if (facts.kind === 'no-route')
    return {
      ...{ verdict: 'none', reason: null, chance: null, isOnlyObserved: false },
      text: 'No route matches. The stand-alone gate answers 404; behind the middleware the app decides.',
    }
  const { mode } = facts
  if (mode === 'off') return admit('off', 'The gate is off on this route. Everybody is let in.')
  if (facts.isBypassed)
    return admit('bypass', 'A bypass matches. The request is let in, uncounted.')
  if (facts.isPreflight)
    return admit('preflight', "A browser's CORS preflight is let in, uncounted.")
  if (facts.hasSession)
    return admit('session', 'The request belongs to an admitted session, and these always pass.')
  const decided = decide(facts)
  if (mode !== 'observe' || decided.verdict === 'admit') return decided
  const text = `${decided.text} In mode observe it is let in all the same.`
  return { ...decided, isOnlyObserved: true, text }
}

function decide(facts: RouteFacts): Foretold {
  const { route, plan, className, waitS, mode } = facts
  if (waitS > 0 && mode === 'enforce')
    return {
      ...{ verdict: 'refuse', reason: 'early', chance: 0, isOnlyObserved: false },
      text: `The last refusal named a time, which is still ${waitS} s away. Until then there is no draw.`,
    }
  const planned = plan?.classes[className]
  if (planned === undefined || plan === null) return withoutPlan(route)
  if (planned.queue !== undefined && !planned.queue.isDirect)
    return behind(planned.queue, className)
  const foretold = byPlan(planned, plan, className)
  const steps = route.whenFull.join(', then ')
  return foretold.verdict === 'admit' || steps === 'refuse'
    ? foretold
    : { ...foretold, text: `${foretold.text} What does not fit: ${steps}.` }
}

/** Others wait already, so a new visitor waits behind them, whatever the limit is. */
function behind({ ahead, rate }: QueuePlan, className: string): Foretold {
  return {
    ...{ verdict: 'queue', reason: 'waiting', chance: 0, isOnlyObserved: false },
    text: `About ${amountText(ahead.at(-1) ?? 0)} of ${className} wait already, and ${amountText(rate)}/s enter. A new visitor waits behind them.`,
  }
}

function withoutPlan({ startup }: Route): Foretold {
  return startup === 'refuse'
    ? {
        ...{ verdict: 'refuse', reason: 'startup', chance: 0, isOnlyObserved: false },
        text: 'The coordinator has no plan yet, and the rule for the start is to refuse.',
      }
    : admit('startup', 'The coordinator has no plan yet, and the rule for the start is to admit.')
}

function byPlan(planned: ClassPlan, { limit }: RoutePlan, className: string): Foretold {
  const { probability, conforming, guaranteed } = planned
  const chance = Math.min(1, conforming + (1 - conforming) * probability)
  if (chance >= 1 && conforming >= 1)
    return admit(
      'guaranteed',
      `All requests of ${className} are within its guarantee of ${guaranteed}/s.`,
    )
  if (chance >= 1)
    return admit(
      'share',
      limit === null
        ? `No limit is known, so all of ${className} are admitted.`
        : `All of ${className} fit into the limit. A burst can still fill the places of a moment.`,
    )
  const base = { reason: 'share', chance, isOnlyObserved: false } as const
  if (chance === 0)
    return {
      ...{ ...base, verdict: 'refuse' },
      text: `The limit is used up by more important classes, so no ${className} are admitted now.`,
    }
  const promised =
    conforming > 0 ? ` ${partText(conforming)} are within the guarantee of ${guaranteed}/s.` : ''
  return {
    ...{ ...base, verdict: 'draw' },
    text: `${partText(chance)} of ${className} are admitted now: there are more than fit into the limit.${promised}`,
  }
}

function admit(reason: string, text: string): Foretold {
  return { verdict: 'admit', reason, chance: 1, isOnlyObserved: false, text }
}
