import { describe, it } from 'vitest'
import { runEdge } from '../../lab/edge/run-edge.ts'
import { byProbability } from '../../lab/experiments/by-probability.ts'
import { socShop } from '../../lab/experiments/soc-shop.ts'
import { runPlant } from '../../lab/gate/run-plant.ts'
import { SocLearner } from '../../src/learners/soc/learner.ts'

/** What the paper measures offline. */
const OPTIONS = { benchMs: 2996 }
const FROM_S = 1800

describe('soc on the stationary plant of its paper (Bartolini et al. 2009, §7: 20 servers, 3 sessions/s)', () => {
  for (const slaS of [4, 5, 6])
    it(`admits within 3 % of the rate that it steers to, at an SLA of ${slaS} s`, async ({
      expect,
    }) => {
      const { trace } = await runEdge({
        plant: socShop({ sessionsPerSecond: 3, slaMs: 1000 * slaS }),
        ...{ seconds: FROM_S + 3000, measureFromSeconds: FROM_S, seed: 1 },
        learner: { name: 'soc', options: OPTIONS },
      })
      const later = trace.slice(FROM_S)
      const mean = (of: (line: (typeof trace)[number]) => number) =>
        later.reduce((sum, line) => sum + of(line), 0) / later.length
      const limit = mean(({ limit }) => limit)
      const admitted = mean(({ sample }) => sample.admitted.sessions)
      expect(limit).toBeGreaterThan(1.7)
      expect(limit).toBeLessThan(2.7)
      expect(Math.abs(admitted / limit - 1)).toBeLessThan(0.03)
    })

  it('finds at most one change in 1000 iterations where there is none', ({ expect }) => {
    let [alarms, iterations] = [0, 0]
    for (const seed of [1, 2]) {
      let learner = new SocLearner(OPTIONS)
      const watched = () => {
        learner = new SocLearner(OPTIONS)
        return {
          get state() {
            return learner.state
          },
          update(sample: Parameters<SocLearner['update']>[0]) {
            const decision = learner.update(sample)
            // The window is empty only after an iteration.
            if (learner.state.window.elapsedMs > 0) return decision
            iterations++
            if (decision.reason === 'capacity') alarms++
            return decision
          },
        } as SocLearner
      }
      runPlant({
        plant: socShop({ sessionsPerSecond: 3 }),
        ...{ seconds: 36_000, seed },
        policy: byProbability(watched),
      })
    }
    expect(iterations).toBeGreaterThan(1000)
    expect(alarms).toBeLessThanOrEqual(1)
  })
})
