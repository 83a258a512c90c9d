import { readFileSync } from 'node:fs'
import { describe, it } from 'vitest'
import { tell } from '../../examples/autoscaling/aws.ts'
import { CapacityPlanner } from '../../src/coordinator/capacity/planner.ts'
import { NO_CAPACITY_STATE } from '../../src/coordinator/capacity/planner-state.ts'
import { resolvedRoute } from '../support/config.ts'

const KEDA = readFileSync(new URL('../../examples/autoscaling/keda.yaml', import.meta.url), 'utf8')
const SLA = { percentile: 95, windowMs: 1000, targets: [{ fromRate: 0, targetMs: 1000 }] }

/** An answer for 300 requests/s at servers that take about 47 each; there are 6. */
function answer() {
  const rules = resolvedRoute({ capacity: { tiers: [{ name: 'app', serviceMs: 20 }] } }).capacity!
  const planner = new CapacityPlanner('shop', rules, NO_CAPACITY_STATE)
  planner.setCurrent({ app: 6 })
  const rates = { sessions: 0, requests: 300 }
  planner.tick({
    ...{ nowMs: 1_800_000_000_000, tiers: {}, limit: null, requestsPerSession: null, slas: [SLA] },
    classes: [],
    sample: {
      ...{ lengthMs: 1000, granularity: 'request', offered: rates, admitted: rates },
      ...{ goodput: 300, failures: 0, inFlight: 1, tiers: [], classes: [], ages: [], capacity: [] },
    },
  })
  return planner.answer!
}

describe('the examples of autoscaling', () => {
  it("have KEDA's path to the number in the answer, and a target of 1", ({ expect }) => {
    const path = /valueLocation: (\S+)/.exec(KEDA)![1]!.split('.')
    const value = path.reduce<unknown>(
      (part, key) => (part as Record<string, unknown>)[key],
      JSON.parse(JSON.stringify(answer())),
    )
    expect(value).toBe(answer().tiers.app!.hpaDesired)
    expect(value).toBe(7)
    expect(KEDA).toContain('targetValue: "1"')
    expect(KEDA).toContain('authMode: bearer')
  })

  it('publish 100 · desired / current for AWS, after they have told the gate the instances', async ({
    expect,
  }) => {
    const asked: string[] = []
    const published: number[] = []
    const real = globalThis.fetch
    globalThis.fetch = (async (url: string, init?: RequestInit) => {
      asked.push(`${init?.method ?? 'GET'} ${url} ${init?.body ?? ''}`.trim())
      return Response.json(answer())
    }) as typeof fetch
    try {
      await tell({ url: 'https://shop.example.com', token: 't', route: 'shop' }, 'app', {
        instances: async () => 6,
        publish: async (value) => void published.push(value),
      })
    } finally {
      globalThis.fetch = real
    }
    expect(asked).toEqual([
      'POST https://shop.example.com/_tidegate/api/v1/routes/shop/capacity/tiers/app {"servers":6}',
      'GET https://shop.example.com/_tidegate/api/v1/routes/shop/capacity',
    ])
    expect(published).toEqual([(100 * 7) / 6])
  })
})
