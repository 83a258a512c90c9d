import type { Setup } from '../../protocol/feedback.ts'
import type { RoutesFeedback } from '../../protocol/merge-reports.ts'
import { readVerdictId } from '../../protocol/verdict-id.ts'

const MOST = 200

/** A verdict as operators see it. It says nothing about the visitor. */
export interface VerdictSample {
  readonly id: string
  readonly atMs: number
  readonly route: string
  readonly class: string
  readonly verdict: string
  readonly reason: string
  /** The part of the class's draws that the plan admitted. */
  readonly probability: number
  /** Number of the plan in force; 0: there was none. */
  readonly planSeq: number
}

/** null: the id is not valid, or its route or class is not configured any more. */
export function verdictOf(
  id: string,
  routes: Parameters<typeof readVerdictId>[1],
): VerdictSample | null {
  const read = readVerdictId(id, routes)
  if (read === null) return null
  const { kind: verdict, permille, ...rest } = read
  return { id, ...rest, verdict, probability: permille / 1000 }
}

/** The newest samples of an origin, in memory. */
export class VerdictRing {
  #ids: string[] = []

  add(routes: RoutesFeedback): void {
    for (const { samples } of Object.values(routes)) if (samples) this.#ids.push(...samples)
    if (this.#ids.length > MOST) this.#ids = this.#ids.slice(-MOST)
  }

  /** Newest first. `route` null: of all routes. */
  newest(limit: number, route: string | null, { routes }: Setup): readonly VerdictSample[] {
    return this.#ids
      .flatMap((id) => verdictOf(id, routes) ?? [])
      .filter((sample) => route === null || sample.route === route)
      .sort((a, b) => b.atMs - a.atMs)
      .slice(0, limit)
  }
}
