import type { WorldClairvoyantsJob, WorldJob } from '../jobs/job.ts'
import { ClairvoyantCache } from '../worlds/clairvoyant-cache.ts'
import type { Clairvoyants } from '../worlds/clairvoyants.ts'
import { drawWorld } from '../worlds/draw-world.ts'
import { rowOf, runsFor } from '../worlds/policies.ts'
import { resultOf, type WorldResult } from '../worlds/result.ts'
import type { WorldSpec } from '../worlds/spec.ts'
import type { WorldsOutcome } from '../worlds/texts.ts'
import type { Session } from './session.ts'

export interface WorldsChoice {
  readonly seed: number
  readonly indices: readonly number[]
  /** As `rowsFor` gives them. */
  readonly rows: readonly string[]
  readonly oneIsolate: boolean
  /** Stored clairvoyants are not used. */
  readonly fresh: boolean
}

/** First the clairvoyants of all worlds, then all policies, world by world. */
export async function playWorlds(session: Session, choice: WorldsChoice): Promise<WorldsOutcome> {
  const { seed, indices, rows, oneIsolate } = choice
  const worlds = indices.map((index) => drawWorld(seed, index))
  const clairvoyants = await findClairvoyants(session, worlds, choice.fresh)
  const policies = [...new Set(rows.flatMap(runsFor))]
  const jobs = worlds.flatMap(({ name, index }): WorldJob[] => {
    const best = clairvoyants.get(name)?.best
    if (best === undefined) return []
    return policies.map((policy) => ({ kind: 'world', seed, index, policy, best, oneIsolate }))
  })
  const measured = await session.run('worlds', jobs)
  const results = jobs.flatMap(({ index, policy }, i): WorldResult[] => {
    const name = `${seed}.${index}`
    const run = measured[i]
    return run === undefined ? [] : [resultOf(name, policy, run, clairvoyants.get(name)!)]
  })
  return {
    worlds,
    clairvoyants,
    rows: rows.flatMap((row) => rowOf(row, results) ?? []),
    complete: results.length === worlds.length * policies.length,
  }
}

export async function findClairvoyants(
  session: Session,
  worlds: readonly WorldSpec[],
  fresh: boolean,
): Promise<ReadonlyMap<string, Clairvoyants>> {
  const cache = await ClairvoyantCache.open()
  const found = new Map<string, Clairvoyants>()
  for (const world of fresh ? [] : worlds) {
    const stored = await cache.read(world)
    if (stored !== undefined) found.set(world.name, stored)
  }
  const missing = worlds.filter(({ name }) => !found.has(name))
  const jobs = missing.map(({ seed, index }): WorldClairvoyantsJob => {
    return { kind: 'world-clairvoyants', seed, index }
  })
  const outputs = await session.run('clairvoyants', jobs)
  for (const [i, output] of outputs.entries()) {
    if (output === undefined) continue
    found.set(missing[i]!.name, output)
    await cache.write(missing[i]!, output)
  }
  return found
}
