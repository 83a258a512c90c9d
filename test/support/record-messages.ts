import { writeFileSync } from 'node:fs'
import { CoordinatorCore } from '../../src/coordinator/coordinator-core.ts'
import { RelayCore } from '../../src/coordinator/relay-core.ts'
import { FEEDBACK_VERSION, type Feedback } from '../../src/protocol/feedback.ts'
import { PLAN_VERSION } from '../../src/protocol/plan.ts'
import { feedbackOf, setupOf } from './feedback.ts'

/**
 * Records the messages and the stored state of this version: `node test/support/record-messages.ts`. Do it before a
 * release. test/protocol/recorded-messages.test.ts reads those of this version and of the one before.
 */
const core = new CoordinatorCore()
const relayed: Feedback[] = []
let nowMs = 1_800_000_000_000
const relay = new RelayCore({
  sender: 'origin@FRA',
  now: () => nowMs,
  sleep: () => new Promise(() => {}),
  send: async (feedback) => {
    relayed.push(feedback)
    return core.handle(feedback, nowMs)
  },
  warn: console.warn,
})
const servers = [
  { url: 'https://a.example.com', weight: 1 },
  { url: 'https://b.example.com', weight: 2 },
]
const setup = { ...setupOf({ servers }), sinceMs: nowMs }
const counts = {
  ...{ offered: 90, admitted: 60, requests: 60, served: 55, failed: 2, late: 1, inFlight: 3 },
  ...{
    latencyUs: 2_000_000,
    latency: [20, 50, 30, 5],
    admits: { share: 60 },
    queued: { share: 4 },
  },
  ...{ refusals: { share: 30 }, places: { '3.17': 2 }, degrades: { share: 1 } },
  extraCost: -500,
}
const isolates: Feedback[] = []
const answers = []
for (let seq = 0; seq < 3; seq++) {
  const given = { sender: 'an isolate', seq, toMs: nowMs, setup }
  const feedback: Feedback = {
    ...feedbackOf({ shop: { default: counts } }, given),
    ...(seq === 0 ? { asks: true } : {}),
    ...(seq === 1 ? { wants: true, wantsFor: 'shop/default' } : {}),
    servers: { [servers[0]!.url]: { tries: 60, failures: 2, requests: 60 } },
    commands: { stock: { shop: { left: 100 - seq, atMs: nowMs } } },
  }
  isolates.push(feedback)
  answers.push(await relay.handle(feedback, 'EU'))
  nowMs += 1000
}
const recorded = { isolates, relays: relayed, answers, state: core.state }
const file = new URL(
  `../fixtures/messages-${FEEDBACK_VERSION}.${PLAN_VERSION}.json`,
  import.meta.url,
)
writeFileSync(file, `${JSON.stringify(recorded)}\n`)
console.log(`wrote ${file.pathname}`)
