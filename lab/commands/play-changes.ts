import type { WorldJob } from '../jobs/job.ts'
import type { Clairvoyants } from '../worlds/clairvoyants.ts'
import { resultOf, summaryOf, type WorldResult } from '../worlds/result.ts'
import { byInfluence, type Change, effectOf, type Sensitivity } from '../worlds/sensitivity.ts'
import type { WorldSpec } from '../worlds/spec.ts'
import type { Session } from './session.ts'

export interface ChangesChoice {
  readonly worlds: readonly WorldSpec[]
  readonly clairvoyants: ReadonlyMap<string, Clairvoyants>
  readonly oneIsolate: boolean
  readonly changes: readonly Change[]
}

const LEARNER = 'soc-lqr'

/**
 * First the defaults in all worlds, then change by change: what was stopped early has whole changes. null: it was
 * stopped before the defaults were done.
 */
export async function playChanges(
  session: Pick<Session, 'run'>,
  { worlds, clairvoyants, oneIsolate, changes }: ChangesChoice,
): Promise<Sensitivity | null> {
  const count = worlds.length
  if (clairvoyants.size < count) return null
  const settings = [{}, ...changes.map(settingOf)]
  const jobs = settings.flatMap((setting) =>
    worlds.map(({ name, seed, index }): WorldJob => {
      const { best } = clairvoyants.get(name)!
      return { kind: 'world', seed, index, policy: LEARNER, ...setting, best, oneIsolate }
    }),
  )
  const runs = await session.run('sensitivity', jobs)
  const resultsOf = (setting: number): readonly WorldResult[] | null => {
    const own = worlds.flatMap(({ name }, i) => {
      const run = runs[setting * count + i]
      return run === undefined ? [] : [resultOf(name, LEARNER, run, clairvoyants.get(name)!)]
    })
    return own.length === count ? own : null
  }
  const defaults = resultsOf(0)
  if (defaults === null) return null
  const effects = changes.flatMap((change, i) => {
    const results = resultsOf(i + 1)
    return results === null ? [] : [effectOf(change, results, defaults)]
  })
  const { share, violations, score } = summaryOf(defaults)
  return {
    defaults: { worlds: count, share, violations, score },
    effects: byInfluence(effects),
    complete: effects.length === changes.length,
  }
}

const settingOf = ({ name, value, constant }: Change): Pick<WorldJob, 'options' | 'constant'> =>
  constant === undefined ? { options: { [name]: value } } : { constant }
