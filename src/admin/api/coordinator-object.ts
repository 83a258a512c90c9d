import type { TidegateBindings } from '../../../durable-objects/bindings.ts'
import { originNameOf, type Route } from '../../config/config.ts'

/** The operation needs a Durable Object, and none is bound: the coordinator runs in process. */
export class NoObject extends Error {
  constructor() {
    super('Not where the coordinator runs in process: this needs a coordinator of its own.')
  }
}

/** The coordinator of a route, for operations that only the Durable Object has. */
export function coordinatorObject(bindings: Partial<TidegateBindings> | undefined, route: Route) {
  const objects = bindings?.TIDEGATE_COORDINATOR
  if (objects === undefined) throw new NoObject()
  return objects.getByName(originNameOf(route))
}
