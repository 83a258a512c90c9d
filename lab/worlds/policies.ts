import { PEERS } from '../peers/index.ts'
import { PEER_NAMES, POLICY_NAMES, settingName } from '../tournament/policies.ts'
import { bestName } from '../tournament/tournament.ts'
import { summaryOf, type WorldResult } from './result.ts'

/** All rivals, each with its defaults and with the best of its settings. */
export const RIVALS = 'rivals'

/** What `worlds --policy` understands. */
export const WORLD_POLICY_NAMES: readonly string[] = [
  ...POLICY_NAMES,
  ...PEER_NAMES.map(bestName),
  RIVALS,
]

/** With `rivals` written out. */
export function rowsFor(names: readonly string[]): readonly string[] {
  const all = names.flatMap((name) =>
    name === RIVALS
      ? PEER_NAMES.flatMap((peer) =>
          settingsOf(peer).length > 1 ? [peer, bestName(peer)] : [peer],
        )
      : [name],
  )
  return [...new Set(all)]
}

/** The policies that must run for a row of the table. */
export function runsFor(row: string): readonly string[] {
  const peer = PEER_NAMES.find((name) => bestName(name) === row)
  return peer === undefined ? [row] : settingsOf(peer)
}

export interface Row {
  readonly name: string
  /** The setting that was found best; as the name where there was no choice. */
  readonly policy: string
  readonly results: readonly WorldResult[]
}

/** The results of a row; of several settings those of the best by mean score over all worlds. */
export function rowOf(name: string, results: readonly WorldResult[]): Row | undefined {
  const rows = runsFor(name).map((policy) => ({
    name,
    policy,
    results: results.filter((result) => result.policy === policy),
  }))
  const scored = rows.filter((row) => row.results.length > 0)
  return scored.toSorted((a, b) => summaryOf(b.results).score - summaryOf(a.results).score)[0]
}

function settingsOf(peer: string): readonly string[] {
  return PEERS[peer]!.settings.map(({ label }, i) => (i === 0 ? peer : settingName(peer, label)))
}
