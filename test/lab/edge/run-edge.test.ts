import { describe, it } from 'vitest'
import type { EdgeOptions } from '../../../lab/edge/edge.ts'
import { runEdge } from '../../../lab/edge/run-edge.ts'
import { deterministic, exponential } from '../../../lab/engine/distributions.ts'
import type { Plant } from '../../../lab/gate/plant.ts'
import { plantR, plantS } from '../../../lab/gate/plants.ts'
import { letAllIn } from '../../../lab/gate/policy.ts'
import { runPlant } from '../../../lab/gate/run-plant.ts'

const fixed = (options: Record<string, number>) => ({ name: 'fixed', options })

/** Delays of a real network without its faults. */
const WAYS = {
  toRelay: { delay: exponential({ mean: 5 }) },
  toCoordinator: { delay: exponential({ mean: 40 }) },
}

const run = (plant: Plant, edge: EdgeOptions, seconds = 120) =>
  runEdge({ plant, seed: 1, seconds, measureFromSeconds: 20, ...edge })

const rate = ({ offered, refused, seconds }: Awaited<ReturnType<typeof run>>) =>
  (offered - refused) / seconds

describe("a plant behind the product's own edge and coordinator", () => {
  it('gives the same run for the same seed, although it uses promises', async ({ expect }) => {
    const edge = { learner: fixed({ limit: 2 }), colos: 2, isolates: 3, ...WAYS }
    expect(await run(plantS(), edge)).toEqual(await run(plantS(), edge))
  })

  it('has the same visitors as a run without it', async ({ expect }) => {
    const edge = await run(plantS(), { learner: fixed({ limit: 2 }) })
    const bare = runPlant({ plant: plantS(), policy: letAllIn, seed: 1, seconds: 120 })
    const offered = ({ trace }: typeof bare) => trace.map(({ sample }) => sample.offered.sessions)
    expect(offered(edge)).toEqual(offered(bare))
  })

  it('keeps a limit of 100/s against 300/s in one isolate, within 1 %', async ({ expect }) => {
    const result = await run(plantR(), { learner: fixed({ limit: 100 }), ...WAYS })
    expect(Math.abs(rate(result) / 100 - 1)).toBeLessThan(0.01)
    expect(result.trace.at(-1)!.limit).toBe(100)
  })

  it('keeps a cap of 10 requests in flight', async ({ expect }) => {
    const { trace } = await run(plantR(), { learner: fixed({ inFlight: 10 }) })
    const levels = trace.slice(5).map(({ sample }) => sample.inFlight)
    expect(Math.max(...levels)).toBe(10)
  })

  it('never refuses a known session: sessions only break off because their visitor leaves', async ({
    expect,
  }) => {
    const { sessions } = await run(plantS(), { learner: fixed({ limit: 1 }), ...WAYS }, 300)
    expect(sessions.completed).toBeGreaterThan(50)
    expect(sessions.broken).toBe(0)
  })

  it('admits 20 until the first plan arrives', async ({ expect }) => {
    const slow = { delay: deterministic({ value: 400 }) }
    const edge = { learner: fixed({ limit: 10 }), toRelay: slow, toCoordinator: slow }
    const { trace } = await run(plantR(), edge, 10)
    const admitted = trace.map(({ sample }) => sample.classes[0]!.admitted)
    // Four messages of 400 ms until the first answer.
    expect(admitted[0]).toBe(20)
    expect(admitted.slice(5).every((count) => count < 20)).toBe(true)
  })
})

describe('lost reports', () => {
  it('trigger the failure rule: closed refuses, open admits', async ({ expect }) => {
    const nothingArrives = { learner: fixed({ limit: 100 }), toRelay: { lost: 1 } }
    const closed = await run(plantR(), { ...nothingArrives, failure: 'closed' })
    const open = await run(plantR(), { ...nothingArrives, failure: 'open' })
    expect(rate(closed)).toBe(0)
    expect(open.refused).toBe(0)
  })

  it('between relay and coordinator do so too: the relay answers with an error', async ({
    expect,
  }) => {
    const isCutOff = { learner: fixed({ limit: 100 }), toCoordinator: { lost: 1 } }
    const closed = await run(plantR(), { ...isCutOff, failure: 'closed' })
    const open = await run(plantR(), { ...isCutOff, failure: 'open' })
    expect(rate(closed)).toBe(0)
    expect(open.refused).toBe(0)
  })

  it('one in ten of them lost, and one in ten a second late: the limit is kept within 10 %', async ({
    expect,
  }) => {
    const result = await run(plantR(), {
      learner: fixed({ limit: 100 }),
      toRelay: { ...WAYS.toRelay, lost: 0.1 },
      toCoordinator: {
        ...WAYS.toCoordinator,
        lost: 0.1,
        late: { part: 0.1, by: deterministic({ value: 1000 }) },
      },
    })
    expect(Math.abs(rate(result) / 100 - 1)).toBeLessThan(0.1)
  })
})

describe('many isolates', () => {
  it('keep the limit together within 10 %, although they are uneven', async ({ expect }) => {
    const busy = { learner: fixed({ limit: 100 }), colos: 3, isolates: 2, skew: 1, ...WAYS }
    const result = await run(plantR(), busy)
    expect(Math.abs(rate(result) / 100 - 1)).toBeLessThan(0.1)
  })

  it('start without knowledge after one dies: the limit is exceeded only until the new one has its plan', async ({
    expect,
  }) => {
    const edge = { learner: fixed({ limit: 100 }), isolateLife: deterministic({ value: 30_000 }) }
    const { trace } = await run(plantR(), { ...edge, ...WAYS })
    const over = trace.slice(5).filter(({ sample }) => sample.classes[0]!.admitted > 150)
    // Three new isolates after the first one, each without a plan for at most two ticks.
    expect(over.length).toBeLessThanOrEqual(6)
  })
})
