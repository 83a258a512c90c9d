import type { TidegateBindings } from '../../durable-objects/bindings.ts'
import { fnv1a } from '../lib/hash.ts'
import type { PassClaim, PassPort } from '../protocol/pass-port.ts'

/** The passes of a route are spread over this many objects, because one object handles a few hundred calls a second. */
const PARTS = 64

/** The claims in Durable Objects; null: the Worker has no binding for them. */
export function durableObjectPasses(
  env: Pick<TidegateBindings, 'TIDEGATE_PASSES'>,
): PassPort | null {
  const { TIDEGATE_PASSES: passes } = env
  if (passes === undefined) return null
  return {
    claim: (claim) => passes.getByName(partOf(claim)).claim(claim),
  }
}

/** All claims of a key come to the same object. */
function partOf({ route, key, id }: PassClaim): string {
  return `${route}/${(fnv1a(key ?? id) >>> 0) % PARTS}`
}
