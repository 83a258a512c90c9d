import { describe, it } from 'vitest'
import { poisson } from '../../../lab/clients/arrivals.ts'
import { Phases } from '../../../lab/clients/phases.ts'
import { steps } from '../../../lab/clients/profiles.ts'
import { sessions } from '../../../lab/clients/sessions.ts'
import { runEdge } from '../../../lab/edge/run-edge.ts'
import { deterministic, exponential } from '../../../lab/engine/distributions.ts'
import type { Plant } from '../../../lab/gate/plant.ts'
import { station } from '../../../lab/origins/station.ts'
import { DEFAULTS } from '../../../src/config/defaults.ts'
import { NEXT, PAGES_PER_WALK } from '../../../tools/demo/walk.ts'
import { DEMO_DEFAULTS } from '../../../tools/demo-origin.ts'
import { CALM_LOAD, surgeStartMs } from '../../../tools/flood/crowd.ts'
import { NUMBERS } from '../../../tools/flood/options.ts'

/** `npm run flood` in simulated time: the demo origin, its visitors, and the product's own edge. */
const { servers, meanServiceMs, thrash } = DEMO_DEFAULTS
const seconds = NUMBERS.seconds.default
const capacity = (servers * 1000) / meanServiceMs
const surgeFromS = surgeStartMs(seconds) / 1000

const pages = Object.entries(NEXT).map(([kind, next]) => [
  kind,
  { tier: 0, next: Object.fromEntries(next) },
])

const DEMO: Plant = {
  granularity: 'session',
  sla: DEFAULTS.sla,
  origin: station({
    servers,
    slowdown: (present) => 1 + Math.min(1, Math.max(0, present - servers) / thrash),
    noticesAbandonment: false,
  }),
  clients: sessions({
    arrivals: poisson(
      steps({
        0: (CALM_LOAD * capacity) / PAGES_PER_WALK,
        [surgeFromS]: (NUMBERS.surge.default * capacity) / PAGES_PER_WALK,
      }),
    ),
    phases: new Phases(Object.fromEntries(pages)),
    demands: [exponential({ mean: meanServiceMs })],
    think: exponential({ mean: NUMBERS['think-ms'].default }),
    patience: deterministic({ value: NUMBERS['patience-ms'].default }),
  }),
}

describe('the flood of the demo, with the default learner', () => {
  it('serves at least 0.85 of the capacity within the SLA from a cold start, in the mean of eight crowds, and never less than 0.8', async ({
    expect,
  }) => {
    const shares: number[] = []
    for (let seed = 1; seed <= 8; seed++) {
      const { inSlaValue } = await runEdge({
        plant: DEMO,
        seed,
        seconds,
        measureFromSeconds: surgeFromS,
        learner: { name: DEFAULTS.learner, options: {} },
      })
      shares.push(inSlaValue / (capacity * (seconds - surgeFromS)))
    }
    expect(Math.min(...shares)).toBeGreaterThanOrEqual(0.8)
    expect(shares.reduce((sum, share) => sum + share, 0) / 8).toBeGreaterThanOrEqual(0.85)
  })
})
