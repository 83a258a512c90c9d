import type { Feedback } from '../../src/protocol/feedback.ts'
import { reportOf, routesOf } from '../micro/fixtures.ts'

export { Coordinator, Relay } from 'tidegate/durable-objects'

interface Env {
  readonly TIDEGATE_RELAY: {
    getByName(name: string): { report(feedback: Feedback): Promise<{ plan: unknown }> }
  }
}

/** As many isolates as a busy data centre may have report to one relay at once, repeatedly. */
const ISOLATES = 50

/** Rises over all rounds, because the relay drops a repeated number. */
let seq = 0

/** Reports for some time; returns how many reports were accepted, and the time that they took. */
export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const { ms } = (await request.json()) as { ms: number }
    const given = reportOf(routesOf(1, 3))
    const relay = env.TIDEGATE_RELAY.getByName(`${given.origin}@bench`)
    const startedAt = Date.now()
    let taken = 0
    const isolate = async (_: unknown, i: number): Promise<void> => {
      while (Date.now() - startedAt < ms) {
        const toMs = Date.now()
        await relay.report({
          ...given,
          sender: `isolate-${i}`,
          seq: seq++,
          fromMs: toMs - 1000,
          toMs,
        })
        taken++
      }
    }
    await Promise.all(Array.from({ length: ISOLATES }, isolate))
    return Response.json({ taken, ms: Date.now() - startedAt })
  },
}
