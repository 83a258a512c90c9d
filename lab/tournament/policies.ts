import { LEARNERS } from '../../src/learners/registry.ts'
import { runEdge } from '../edge/run-edge.ts'
import { type RunOptions, type RunResult, runPlant } from '../gate/run-plant.ts'
import { PEERS } from '../peers/index.ts'
import type { PeerSetting } from '../peers/peer.ts'
import { watched } from './promises.ts'
import type { Contest } from './scenario.ts'

export const CLAIRVOYANT = 'clairvoyant'

/** Learners without a limit by default: without a number from an operator they equal `none`. */
const NEEDS_A_NUMBER: ReadonlySet<string> = new Set(['fixed'])

/** The product's learners, each with its defaults. */
export const LEARNER_NAMES: readonly string[] = Object.keys(LEARNERS).filter(
  (name) => !NEEDS_A_NUMBER.has(name),
)

/** The rivals, each with its defaults. */
export const PEER_NAMES: readonly string[] = Object.keys(PEERS)

/** `netflix-vegas: strict`: a rival with one of its settings. */
export const settingName = (peer: string, label: string): string => `${peer}: ${label}`

/** All policies that can be selected by name. */
export const POLICY_NAMES: readonly string[] = [
  ...LEARNER_NAMES,
  ...Object.values(PEERS).flatMap(({ name, settings }) => [
    name,
    ...settings.slice(1).map(({ label }) => settingName(name, label)),
  ]),
  CLAIRVOYANT,
]

/** Options of a learner that are not to have their defaults. */
export type LearnerOptions = Readonly<Record<string, number>>

/** Runs a contest once under the named policy, with the clairvoyant as an observer. */
export async function play(
  contest: Contest,
  policy: string,
  seed: number,
  learnerOptions: LearnerOptions = {},
): Promise<RunResult> {
  const { seconds, measureFromSeconds, clairvoyant } = contest
  const { plant, result } = watched(contest.plant, measureFromSeconds * 1000, seconds * 1000)
  const options = { plant, seed, seconds, measureFromSeconds, clairvoyant }
  const run = await runUnder(policy, contest, options, learnerOptions)
  return { ...run, ...result(seconds * 1000) }
}

function runUnder(
  policy: string,
  { clairvoyant, loadTest, edge }: Contest,
  options: RunOptions,
  learnerOptions: LearnerOptions,
): RunResult | Promise<RunResult> {
  if (policy === CLAIRVOYANT) return runPlant({ ...options, policy: clairvoyant })
  if (LEARNER_NAMES.includes(policy)) {
    return runEdge({ ...options, ...edge, learner: { name: policy, options: learnerOptions } })
  }
  return runPlant({ ...options, policy: peerSetting(policy).policy(loadTest) })
}

function peerSetting(policy: string): PeerSetting {
  const [name = '', label] = policy.split(': ')
  const peer = PEERS[name]
  const setting =
    label === undefined ? peer?.defaults : peer?.settings.find((s) => s.label === label)
  if (setting === undefined) throw new RangeError(`there is no policy "${policy}"`)
  return setting
}
