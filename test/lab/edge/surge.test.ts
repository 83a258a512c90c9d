import { describe, it } from 'vitest'
import { poisson } from '../../../lab/clients/arrivals.ts'
import { pieces } from '../../../lab/clients/rates.ts'
import { type SingleRequestsOptions, singleRequests } from '../../../lab/clients/single-requests.ts'
import { runEdge } from '../../../lab/edge/run-edge.ts'
import { exponential } from '../../../lab/engine/distributions.ts'
import type { Plant } from '../../../lab/gate/plant.ts'
import { station } from '../../../lab/origins/station.ts'

const ONSET_S = 90

/** 60 requests/s, then ten times as many, at an origin for 200/s. */
const plantOf = (visitors: Partial<SingleRequestsOptions> = {}): Plant => ({
  granularity: 'request',
  sla: { percentile: 95, targetMs: 200, windowMs: 60_000 },
  origin: station({ servers: 8 }),
  clients: singleRequests({
    arrivals: poisson(
      pieces([
        { fromMs: 0, rate: 60 },
        { fromMs: ONSET_S * 1000, rate: 600 },
      ]),
    ),
    demand: exponential({ mean: 40 }),
    ...visitors,
  }),
})

/** Admitted in the second before the surge on average, and in each second of it. */
async function surge(name: string, options: object, isolates: number, isWaiting = false) {
  const { trace } = await runEdge({
    ...{ seconds: ONSET_S + 10, seed: 2, isolates },
    plant: plantOf(isWaiting ? { retries: { asTold: 1 } } : {}),
    whenFull: [isWaiting ? 'queue' : 'refuse'],
    learner: { name, options } as never,
  })
  const admitted = trace.map(({ sample }) => sample.admitted.requests)
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
  const refused = trace.map(({ sample }) => sample.offered.requests - sample.admitted.requests)
  return {
    /** What the limits that were in force allow in the surge. */
    allowed: sum(trace.slice(ONSET_S - 1, -1).map(({ limit }) => limit ?? 0)),
    inSurge: sum(admitted.slice(ONSET_S)),
    calm: sum(admitted.slice(ONSET_S - 30, ONSET_S)) / 30,
    refusedInCalm: sum(refused.slice(ONSET_S - 30, ONSET_S)),
  }
}

describe('a tenfold surge', () => {
  for (const isolates of [1, 12, 100])
    for (const [name, options] of [
      ['tbac', {}],
      ['pac', {}],
      ['aimd', { multiclass: true }],
    ] as const)
      it(`does not pass at the old probability with ${name} and ${isolates} isolates`, async ({
        expect,
      }) => {
        const { calm, inSurge, refusedInCalm } = await surge(name, options, isolates)
        // The limit that stops a surge is 1.5 times what was admitted before. 2 s of it, and its growth, may be too much:
        // by 10 s it is 1.2 times as high, if the policy has not decided since.
        expect(inSurge).toBeLessThan(1.5 * calm * (10 + 2 + 3))
        if (name !== 'pac') expect(refusedInCalm).toBe(0)
      })

  it('is held at the limit of soc, although its forecast of arrivals is of before', async ({
    expect,
  }) => {
    for (const isolates of [1, 12, 100]) {
      const { allowed, inSurge } = await surge('soc', { iterationMs: 5000 }, isolates)
      expect(inSurge, `${isolates}`).toBeLessThan(allowed * 1.25)
      // Where isolates are small, what came before the relay saw the surge is paid back.
      expect(inSurge, `${isolates}`).toBeGreaterThan(allowed * (isolates < 100 ? 0.8 : 0.7))
    }
  })

  it('is flash-crowd mode for soc, although the edge holds the limit: buyers go first again', async ({
    expect,
  }) => {
    const { trace } = await runEdge({
      ...{ seconds: ONSET_S + 40, seed: 2 },
      plant: {
        ...plantOf({ mix: [0.1, 0.9] }),
        classes: [
          { name: 'buyers', value: 10 },
          { name: 'others', value: 1 },
        ],
      },
      learner: { name: 'soc', options: { iterationMs: 30_000 } },
    })
    // λ*·T is let in within some 10 s. By the end of the iteration alone, the forecast would be of the surge after 30 s.
    const later = trace.slice(ONSET_S + 12, ONSET_S + 28).map(({ sample }) => sample.classes[0]!)
    const offered = later.reduce((sum, buyers) => sum + buyers.offered, 0)
    const admitted = later.reduce((sum, buyers) => sum + buyers.admitted, 0)
    expect(admitted / offered).toBeGreaterThan(0.97)
  })

  for (const [name, options] of [
    ['tbac', {}],
    ['pac', {}],
    ['aimd', { multiclass: true }],
    ['soc', { iterationMs: 30_000 }],
  ] as const)
    it(`does not pass by tickets either, where visitors wait (${name})`, async ({ expect }) => {
      for (const isolates of [1, 100]) {
        const { allowed, calm, inSurge } = await surge(name, options, isolates, true)
        const most = name === 'soc' ? allowed * 1.25 : 1.5 * calm * (10 + 2 + 3)
        expect(inSurge, `${isolates}`).toBeLessThan(most)
      }
    })
})
