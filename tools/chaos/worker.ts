import { env } from 'cloudflare:workers'
import {
  Passes,
  Coordinator as SoundCoordinator,
  Relay as SoundRelay,
} from '../../durable-objects/index.ts'
import type { SecretsEnv } from '../../src/config/secrets.ts'
import config from '../../src/entry/deployed-config.ts'
import { standAlone } from '../../src/entry/stand-alone.ts'
import type { ReportAnswer } from '../../src/protocol/coordinator-port.ts'
import type { Feedback } from '../../src/protocol/feedback.ts'
import { relayName } from '../../src/transport/durable-object.ts'
import { CHAOS_PATH, type CoordinatorFault, ORIGIN_NAME } from './faults.ts'

/** The deployed Worker, with a path by which its Durable Objects can be made to fail. */

/** Longer than isolates wait for an answer. */
const SLOW_MS = 3000

export class Coordinator extends SoundCoordinator {
  #fault: CoordinatorFault | null = null

  /** null: it works again. */
  setFault(fault: CoordinatorFault | null): void {
    this.#fault = fault
    if (fault === 'evicted') this.ctx.abort('chaos: evicted')
    if (fault === 'write fails') this.#failNextWrite()
  }

  override async report(feedback: Feedback): Promise<ReportAnswer> {
    if (this.#fault === 'unreachable') throw new Error('chaos: not reachable')
    if (this.#fault === 'slow') await new Promise((resolve) => setTimeout(resolve, SLOW_MS))
    const answer = await super.report(feedback)
    if (this.#fault === 'garbage') return { nonsense: [true], plan: 7 } as never
    if (this.#fault === 'newer version')
      return { ...answer, plan: answer.plan && { ...answer.plan, version: 999 as never } }
    return answer
  }

  /** In the middle of a tick. The runtime resets an object whose write has failed, and its callers get an error. */
  #failNextWrite(): void {
    const { ctx } = this
    Object.defineProperty(ctx.storage, 'put', {
      configurable: true,
      value: () => {
        ctx.abort('chaos: the disk is full')
        return Promise.reject(new Error('chaos: the disk is full'))
      },
    })
  }
}

export class Relay extends SoundRelay {
  lose(): void {
    this.ctx.abort('chaos: lost')
  }
}

export { Passes }

interface ChaosBindings {
  readonly TIDEGATE_COORDINATOR: DurableObjectNamespace<Coordinator>
  readonly TIDEGATE_RELAY: DurableObjectNamespace<Relay>
}

const gate = standAlone(config, env as SecretsEnv)

export default {
  async fetch(request, bindings, ctx) {
    const { pathname } = new URL(request.url)
    if (!pathname.startsWith(CHAOS_PATH)) return gate.fetch(request, bindings as never, ctx)
    const fault = decodeURIComponent(pathname.slice(CHAOS_PATH.length))
    const { TIDEGATE_COORDINATOR, TIDEGATE_RELAY } = bindings
    try {
      if (fault === 'relay lost')
        await TIDEGATE_RELAY.getByName(relayName(ORIGIN_NAME, 'local')).lose()
      else
        await TIDEGATE_COORDINATOR.getByName(ORIGIN_NAME).setFault(
          fault === 'none' ? null : (fault as CoordinatorFault),
        )
    } catch {
      // An object that ends itself does not answer.
    }
    return new Response('done')
  },
} satisfies ExportedHandler<ChaosBindings>
