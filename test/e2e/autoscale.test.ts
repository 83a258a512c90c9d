import { describe, it } from 'vitest'
import { runAutoscale } from '../../tools/autoscale/trial.ts'

describe('an autoscaled origin in a flood that doubles three times', () => {
  it('gets the servers that it needs, keeps its target, and breaks no session', async ({
    expect,
  }) => {
    const result = await runAutoscale({
      ...{ pagesPerSecond: 20, doublings: 3, stepS: 3, holdS: 6, calmS: 10, seed: 1 },
      // Faster than the demo, so that the flood can be shorter.
      pace: { startupS: 0.5, everyS: 2, pauseS: 1 },
    })
    const last = result.steps.at(-1)!
    // 160 pages/s need at least four servers of 50 pages/s each.
    expect(result.mostServers).toBeGreaterThanOrEqual(4)
    expect(last.servers).toBeGreaterThan(result.steps[0]!.servers)
    // Refusals end when the servers are up. Response times depend on the machine: `npm run tidegate -- autoscale` prints them.
    expect(last.refusedLate).toBeLessThan(0.25)
    // Servers drain in the calm time, while sessions go on.
    expect(result.serversAfter).toBeLessThan(result.mostServers)
    expect(result.admitted).toBeGreaterThan(100)
    expect(result.broken).toBe(0)
  })
})
