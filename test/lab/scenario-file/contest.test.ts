import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { bestLoadIn, capacityOf, statesOf, withBest } from '../../../lab/scenario-file/best.ts'
import { checkScenario } from '../../../lab/scenario-file/check.ts'
import { type Content, contestOfFile } from '../../../lab/scenario-file/contest.ts'
import { loadScenario, ScenarioError } from '../../../lab/scenario-file/load.ts'
import { play } from '../../../lab/tournament/policies.ts'

function contentOf(input: object): Content {
  const checked = checkScenario(input)
  if (!checked.ok) throw new Error(JSON.stringify(checked.problems))
  return { scenario: checked.scenario }
}

const API = {
  name: 'sale',
  seconds: 60,
  granularity: 'request',
  sla: { targetMs: 200, windowMs: 10_000 },
  arrivals: { rate: 300 },
  origin: { servers: 8, serviceMs: 40 },
}

describe('the contest of a scenario file', () => {
  it('knows what a load test would find: 8 servers of 40 ms take 200 requests/s', ({ expect }) => {
    const { loadTest } = contestOfFile(withBest(contentOf(API), [[8, 15]]))
    expect(loadTest).toEqual({ saturationRate: 200, sessionMs: 0 })
  })

  it('counts sessions with all their requests: 20 servers of 1 s, 10 requests each, are 2/s', ({
    expect,
  }) => {
    const shop = {
      ...API,
      granularity: 'session',
      session: { requests: 10, thinkMs: 5000 },
      origin: { servers: 20, serviceMs: 1000 },
    }
    const { loadTest } = contestOfFile(withBest(contentOf(shop), [[20, 150]]))
    expect(loadTest).toEqual({ saturationRate: 2, sessionMs: 9 * 5000 + 10 * 1000 })
  })

  it('goes through the capacities that the origin has on its way, without the pauses', ({
    expect,
  }) => {
    const changes = [
      { atS: 30, speed: 0 },
      { atS: 31, speed: 1 },
      { atS: 10, servers: 4 },
    ]
    const states = statesOf(contentOf({ ...API, changes }))
    expect(states.map(capacityOf)).toEqual([4, 8])
  })

  it("finds the best number in flight by trying: M/M/8 at twice its capacity holds 10 to 16, as plant R's clairvoyant", {
    timeout: 30_000,
  }, ({ expect }) => {
    const load = bestLoadIn(contentOf(API), { servers: 8, speed: 1 })
    expect(load).toBeGreaterThanOrEqual(10)
    expect(load).toBeLessThanOrEqual(16)
  })

  it('runs under any policy: the clairvoyant serves the 200/s, none next to nothing', async ({
    expect,
  }) => {
    const contest = contestOfFile(withBest(contentOf(API), [[8, 15]]))
    const best = await play(contest, 'clairvoyant', 1)
    const none = await play(contest, 'none', 1)
    expect(best.inSlaValue / best.seconds).toBeGreaterThan(180)
    expect(none.inSlaValue).toBeLessThan(best.inSlaValue / 10)
  })

  // The flash crowd: 10 s of 100, a doubling in 10 s twice (300·10/ln 2), 20 s of 400, one halving (200·10/ln 2).
  const forms: readonly (readonly [string, object, number])[] = [
    ['steps', { steps: [[0, 100], [30, 300]] }, 12_000], // biome-ignore format: a table
    ['a flash crowd', { flashCrowd: { base: 100, peak: 400, startS: 10, doublingS: 10, holdS: 20 } }, 16_213], // biome-ignore format: a table
    ['a day', { day: { mean: 200, swing: 0.5, peakS: 30, dayS: 60 } }, 12_000],
    ['bursts', { bursts: [{ rate: 100, meanS: 1 }, { rate: 300, meanS: 1 }] }, 12_000], // biome-ignore format: a table
  ]
  for (const [what, arrivals, expected] of forms) {
    it(`brings as many as ${what} say: ${expected}`, async ({ expect }) => {
      const contest = contestOfFile(withBest(contentOf({ ...API, arrivals }), [[8, 15]]))
      const { offered } = await play(contest, 'clairvoyant', 1)
      // Poisson: four standard deviations, and more for bursts, whose states are random too.
      const tolerance = what === 'bursts' ? 0.25 * expected : 4 * Math.sqrt(expected)
      expect(Math.abs(offered - expected)).toBeLessThan(tolerance)
    })
  }
})

describe('a scenario file on disk', () => {
  let folder: string
  const write = async (name: string, text: string) => {
    await writeFile(join(folder, name), text)
    return join(folder, name)
  }
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tidegate-lab-'))
  })
  afterAll(() => rm(folder, { recursive: true }))

  it('is read with the trace beside it', async ({ expect }) => {
    await write('rates.csv', 'seconds,rate\n0,100\n30,300\n')
    const file = await write('s.json', JSON.stringify({ ...API, arrivals: { trace: 'rates.csv' } }))
    const contest = contestOfFile(withBest(await loadScenario(file), [[8, 15]]))
    const { offered } = await play(contest, 'clairvoyant', 1)
    expect(Math.abs(offered - 12_000)).toBeLessThan(4 * Math.sqrt(12_000))
  })

  const line = (second: number) =>
    `203.0.113.9 - - [27/Nov/2026:09:00:${String(second).padStart(2, '0')} +0000] "GET / HTTP/1.1" 200 512\n`

  it('is read with an access log beside it, which is replayed: 900 of 1200 come within 30 s', async ({
    expect,
  }) => {
    const log = Array.from({ length: 1200 }, (_, i) => line(i < 900 ? i % 30 : 31 + (i % 29)))
    await write('access.log', log.join(''))
    const file = await write('l.json', JSON.stringify({ ...API, arrivals: { log: 'access.log' } }))
    const content = withBest(await loadScenario(file), [[8, 15]])
    const whole = await play(contestOfFile(content), 'none', 1)
    expect(whole.offered).toBe(1200)
    const first = await play({ ...contestOfFile(content), seconds: 30 }, 'none', 2)
    expect(first.offered).toBe(900)
  })

  it('is read with a CSV log, which knows classes and service times', async ({ expect }) => {
    const classes = [
      { name: 'buyers', value: 10, part: 0.5 },
      { name: 'others', part: 0.5 },
    ]
    await write('visits.csv', 'seconds,class,serviceMs\n1,0,40\n2,1,150\n3,1,500\n')
    const file = await write(
      'v.json',
      JSON.stringify({ ...API, classes, arrivals: { log: 'visits.csv' } }),
    )
    const content = withBest(await loadScenario(file), [[8, 15]])
    // One of worth 10 and one of worth 1 within 200 ms; the one of 500 ms is late.
    expect((await play(contestOfFile(content), 'none', 1)).inSlaValue).toBe(11)
  })

  it('says what is wrong with its log', async ({ expect }) => {
    const file = await write('w.json', JSON.stringify({ ...API, arrivals: { log: 'w.log' } }))
    await write('w.log', 'no log at all\n')
    await expect(loadScenario(file)).rejects.toThrow(
      'got "w.log": line 1: expected a time such as [10/Oct/2026:13:55:36 +0000], got "no log at all". ',
    )
    await write('w.log', '')
    await expect(loadScenario(file)).rejects.toThrow('line 1: expected at least one visit')
    await write('w.log', 'seconds,class\n1,1\n')
    await expect(loadScenario(file)).rejects.toThrow('expected a class from 0 to 0, got 1')
  })

  it('says what is wrong with it, with its path', async ({ expect }) => {
    const missing = join(folder, 'none.json')
    await expect(loadScenario(missing)).rejects.toThrow(`${missing}: there is no such file.`)
    const broken = await write('broken.json', '{')
    await expect(loadScenario(broken)).rejects.toThrow('this is not JSON')
    const empty = await write('empty.json', '{}')
    await expect(loadScenario(empty)).rejects.toThrow(/4 problems in the scenario\n {2}name: /)
    await expect(loadScenario(empty)).rejects.toBeInstanceOf(ScenarioError)
  })

  it('says what is wrong with its trace', async ({ expect }) => {
    const lost = { ...API, arrivals: { trace: 'lost.csv' } }
    await expect(loadScenario(await write('lost.json', JSON.stringify(lost)))).rejects.toThrow(
      'arrivals.trace: expected a CSV file of seconds and rate per second, got "lost.csv": there is no such file.',
    )
    await write('bad.csv', '0,100\n5,many\n')
    const bad = { ...API, arrivals: { trace: 'bad.csv' } }
    await expect(loadScenario(await write('bad.json', JSON.stringify(bad)))).rejects.toThrow(
      'got "bad.csv": line 2: expected a time in seconds and a rate of at least 0',
    )
  })
})
