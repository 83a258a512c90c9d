import type { QualityFeedback, QualitySetup } from '../../protocol/feedback.ts'

/** Response times at a step and at the step above it, in the same ticks, so that both met the same load. */
export interface StepPair {
  readonly requests: number
  readonly us: number
  readonly aboveRequests: number
  readonly aboveUs: number
}

const NO_PAIR: StepPair = { requests: 0, us: 0, aboveRequests: 0, aboveUs: 0 }
/** An origin changes with its releases, so what was measured is forgotten over some minutes. */
const KEPT_PER_TICK = 0.99
/** Fewer requests at either step are not compared. */
const LEAST_REQUESTS = 20
const LEAST_RATIO = 0.05

/** Full quality is 1, the last step has the lowest one. */
export function qualityAt({ min, steps }: QualitySetup, step: number): number {
  return 1 - (step * (1 - min)) / steps
}

/** `pairs[i]` compares step i + 1 with step i. */
export function pairsAfter(
  pairs: readonly StepPair[],
  { steps }: QualitySetup,
  seen: QualityFeedback,
): readonly StepPair[] {
  return Array.from({ length: steps }, (_, i) => {
    const before = pairs[i] ?? NO_PAIR
    const [above, own] = [seen[i], seen[i + 1]]
    if (!above || !own) return before
    return {
      requests: before.requests * KEPT_PER_TICK + own.requests,
      us: before.us * KEPT_PER_TICK + own.us,
      aboveRequests: before.aboveRequests * KEPT_PER_TICK + above.requests,
      aboveUs: before.aboveUs * KEPT_PER_TICK + above.us,
    }
  })
}

/**
 * The load of a request at each step, relative to full quality. Where nothing is measured yet, a request costs as much as
 * its quality says.
 */
export function stepCosts(setup: QualitySetup, pairs: readonly StepPair[]): readonly number[] {
  const costs = [1]
  for (let step = 1; step <= setup.steps; step++) {
    const assumed = qualityAt(setup, step) / qualityAt(setup, step - 1)
    costs.push(costs[step - 1]! * (measuredRatio(pairs[step - 1]) ?? assumed))
  }
  return costs
}

/** null: not measured. A step that makes answers slower is not believed. */
function measuredRatio(pair: StepPair = NO_PAIR): number | null {
  const { requests, us, aboveRequests, aboveUs } = pair
  if (!(requests >= LEAST_REQUESTS && aboveRequests >= LEAST_REQUESTS && aboveUs > 0)) return null
  return Math.min(1, Math.max(LEAST_RATIO, us / requests / (aboveUs / aboveRequests)))
}
