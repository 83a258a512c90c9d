import { TokenBucket } from '../../src/admission/token-bucket.ts'
import type { Decision, Sample } from '../../src/learners/learner-interface.ts'
import { createLearner } from '../../src/learners/registry.ts'
import { exponential } from '../engine/distributions.ts'
import type { Plant, PlantClass } from '../gate/plant.ts'
import type { PolicyFactory } from '../gate/policy.ts'
import type { Ruling } from '../gate/run-plant.ts'
import { sharing } from '../origins/sharing.ts'
import { type UserGroup, users } from './seda-users.ts'

/**
 * The Arashi mail service of (Welsh and Culler 2003, §4.1): requests of seven types share one
 * database. The paper does not print the frequencies and costs of the types. These give 14
 * requests/s, at which 16 users wait about as long as in Fig. 9 without control.
 */
const TYPES = [
  { name: 'login', part: 0.05, ms: 25 },
  { name: 'list-folders', part: 0.12, ms: 75 },
  { name: 'list-msgs', part: 0.2, ms: 130 },
  { name: 'show-msg', part: 0.455, ms: 40 },
  { name: 'delete', part: 0.1, ms: 50 },
  { name: 'refile', part: 0.07, ms: 50 },
  { name: 'search', part: 0.005, ms: 1000 },
] as const

export const TYPE_NAMES: readonly string[] = TYPES.map(({ name }) => name)

interface MailOptions {
  readonly targetMs: number
  readonly groups: readonly UserGroup[]
  /** @default one class per type */
  readonly classes?: readonly PlantClass[]
  /** How many requests it works on at once at full speed. @default 1 */
  readonly servers?: number
}

export function mailService({ targetMs, groups, classes, servers = 1 }: MailOptions): Plant {
  return {
    granularity: 'request',
    sla: { percentile: 90, targetMs, windowMs: 60_000 },
    origin: sharing({ servers }),
    tiers: classes === undefined ? TYPE_NAMES : ['all'],
    classes: classes ?? TYPE_NAMES.map((name) => ({ name, value: 1 })),
    clients: users({
      groups,
      types: TYPES.map(({ part, ms }) => ({ part, demand: exponential({ mean: ms }) })),
    }),
  }
}

/** One controller for all requests; `multiclass` has one per class (§3.3). */
export const aimd = (multiclass = false): Ruling => ({
  learner: () => createLearner({ name: 'aimd', options: { multiclass } }).learner,
})

/** §4.3: one controller per type, where each type is a class. The trace shows the limit of one type. */
export function perStageWithLimitOf(shown: number): PolicyFactory {
  return (_view, { classes }) => {
    const stages = classes.map(() => ({
      learner: createLearner({ name: 'aimd', options: {} }).learner,
      bucket: new TokenBucket(0),
      limit: Number.POSITIVE_INFINITY,
    }))
    return {
      get limit() {
        return stages[shown]!.limit
      },
      tick(sample, nowMs) {
        for (const [type, stage] of stages.entries()) {
          const { limit }: Decision = stage.learner.update(sampleOf(sample, type))
          stage.limit = limit ?? Number.POSITIVE_INFINITY
          // The bucket depth of the authors' code. Deeper buckets admit more of each type than the
          // service can take.
          stage.bucket.set(limit ?? 0, 1, nowMs)
        }
      },
      admits(klass, nowMs) {
        const { limit, bucket } = stages[klass]!
        return limit === Number.POSITIVE_INFINITY || bucket.take(1, 0, nowMs)
      },
    }
  }
}

export const perStage: PolicyFactory = perStageWithLimitOf(0)

/** The part of a sample that the controller of one stage sees. */
function sampleOf(sample: Sample, type: number): Sample {
  const tier = sample.tiers[type]!
  const klass = sample.classes[type]!
  const perSecond = 1000 / sample.lengthMs
  return {
    ...sample,
    offered: { sessions: 0, requests: klass.offered },
    admitted: { sessions: 0, requests: klass.admitted },
    goodput: tier.completed * perSecond - klass.failures,
    failures: klass.failures,
    tiers: [tier],
    classes: [klass],
  }
}
