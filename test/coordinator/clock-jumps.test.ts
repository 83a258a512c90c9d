import fc from 'fast-check'
import { describe, it } from 'vitest'
import { CoordinatorCore } from '../../src/coordinator/coordinator-core.ts'
import { RelayCore } from '../../src/coordinator/relay-core.ts'
import { feedbackOf, setupOf } from '../support/feedback.ts'

const LEARNERS = ['soc-lqr', 'soc', 'lqr', 'aimd', 'fixed'] as const
const START_MS = 1_800_000_000_000
const anyJump = fc.integer({ min: -7_200_000, max: 7_200_000 })

/** Isolates of one data centre, its relay and the coordinator, each with a clock of its own. */
function siteOf(learner: string) {
  const clocks = { isolate: START_MS, relay: START_MS, coordinator: START_MS }
  const core = new CoordinatorCore()
  const slept: number[] = []
  const relay = new RelayCore({
    sender: 'origin@BER',
    firstSeq: 1,
    now: () => clocks.relay,
    sleep: async (ms) => {
      slept.push(ms)
    },
    send: async (feedback) => core.handle(structuredClone(feedback), clocks.coordinator),
    warn() {},
  })
  const options = learner === 'fixed' ? { limit: 50 } : {}
  const setup = setupOf({ learner: { name: learner, options } as never })
  let seq = 0
  const second = async (offered: number) => {
    for (const name of ['isolate', 'relay', 'coordinator'] as const) clocks[name] += 1000
    const admitted = Math.min(offered, 50)
    const counts = { offered, admitted, requests: admitted, served: admitted }
    const given = { seq: seq++, toMs: clocks.isolate, setup }
    return relay.handle(feedbackOf({ shop: { default: counts } }, given))
  }
  return { clocks, core, second, slept }
}

describe('clocks that jump, at isolates, relay and coordinator', () => {
  it.for(LEARNERS)(
    'leave a plan that can be followed, and ticks go on: %s',
    async (learner, { expect }) => {
      await fc.assert(
        fc.asyncProperty(anyJump, anyJump, anyJump, async (isolateMs, relayMs, coordinatorMs) => {
          const { clocks, core, second, slept } = siteOf(learner)
          for (let i = 0; i < 10; i++) await second(40)
          clocks.isolate += isolateMs
          clocks.relay += relayMs
          clocks.coordinator += coordinatorMs
          const before = core.plan!.seq
          for (let i = 0; i < 10; i++) await second(40)
          const { plan, share } = await second(40)
          expect(plan!.seq).toBeGreaterThanOrEqual(before + 8)
          expect(share).toBeGreaterThan(0)
          expect(Math.max(0, ...slept)).toBeLessThanOrEqual(1000)
          const { probability } = plan!.routes.shop!.classes.default!
          expect(probability).toBeGreaterThanOrEqual(0)
          expect(probability).toBeLessThanOrEqual(1)
          expect(plan!.drawLimit === null || plan!.drawLimit > 0).toBe(true)
          expect(core.state!.arrivals['shop/default']!.rate).toBeGreaterThan(20)
          expect(core.state!.arrivals['shop/default']!.rate).toBeLessThan(80)
          expect(JSON.stringify(core.state)).not.toContain('null,null,null')
        }),
        { numRuns: 30 },
      )
    },
  )
})
