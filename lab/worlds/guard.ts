import type { PolicyFactory } from '../gate/policy.ts'
import type { WorldSpec } from './spec.ts'

/**
 * On session routes the clairvoyant admits nobody while too many requests are in flight. Without this it lets all
 * sessions in at once when a surge begins, and their first pages are a queue from which some origins never
 * recover. `part`: of the requests that are inside when a response takes as long as the target.
 */
export function guarded(policy: PolicyFactory, world: WorldSpec, part: number): PolicyFactory {
  if (world.traffic.session === null) return policy
  const { origin, sla } = world
  const perServer = 1 + sla.targetMs / origin.service.meanMs
  return (view, setting, parts) => {
    const inner = policy(view, setting, parts)
    const isFull = () => view.inFlight >= part * perServer * view.capacity
    return {
      admits: (klass, nowMs, home) => !isFull() && inner.admits(klass, nowMs, home),
      hasRoom: () => !isFull() && inner.hasRoom?.() === true,
    }
  }
}

/** Tried in the world itself, with visitors that no policy is judged by. */
export const GUARDS: readonly number[] = [1, 0.6, 0.35]
