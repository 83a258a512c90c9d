import type { EdgeOptions } from '../edge/edge.ts'
import { exponential } from '../engine/distributions.ts'
import type { Plant } from '../gate/plant.ts'
import type { PolicyFactory } from '../gate/policy.ts'
import type { LoadTest } from '../peers/peer.ts'

/** The edge between learner and visitors; the learner is the policy under test. */
export type EdgeShape = Omit<EdgeOptions, 'learner'>

/** A scenario: a plant and what happens to it. Policies are compared from `measureFromSeconds` on. */
export interface Contest {
  readonly name: string
  /** What happens, in a sentence. */
  readonly text: string
  readonly plant: Plant
  readonly clairvoyant: PolicyFactory
  readonly seconds: number
  readonly measureFromSeconds: number
  /** For rivals with limits set by hand. */
  readonly loadTest: LoadTest
  /**
   * For the product's learners. A rival is a single gate that sees all traffic, which is an
   * advantage for it.
   */
  readonly edge: EdgeShape
  /**
   * `onset`: the measured period starts with a surge or a change, so recovery time counts.
   * `steady`: nothing changes in it, so any variation of the admitted rate comes from the policy.
   */
  readonly kind: 'onset' | 'steady' | 'varying'
}

/** Delays of a real network. */
const WAYS = {
  toRelay: { delay: exponential({ mean: 5 }) },
  toCoordinator: { delay: exponential({ mean: 40 }) },
}

/** One isolate that sees all traffic. */
export const ONE_ISOLATE: EdgeShape = WAYS

/** A few uneven colos with some isolates each. */
export const SOME_ISOLATES: EdgeShape = { ...WAYS, colos: 3, isolates: 4, skew: 1 }

/** Many short-lived isolates; one report in twenty is lost and one in ten comes two seconds late. */
export const MANY_ISOLATES: EdgeShape = {
  colos: 10,
  isolates: 6,
  skew: 1,
  isolateLife: exponential({ mean: 120_000 }),
  toRelay: { ...WAYS.toRelay, lost: 0.05, late: { part: 0.1, by: exponential({ mean: 2000 }) } },
  toCoordinator: {
    ...WAYS.toCoordinator,
    lost: 0.05,
    late: { part: 0.1, by: exponential({ mean: 2000 }) },
  },
}
