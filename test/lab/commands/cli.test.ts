import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { LEGEND } from '../../../lab/commands/legend.ts'
import { namesIn } from '../../../lab/commands/names.ts'
import { POLICY_NAMES } from '../../../lab/tournament/policies.ts'

const CLI = fileURLToPath(new URL('../../../lab/cli.ts', import.meta.url))

interface Said {
  readonly code: number
  readonly out: string
  readonly err: string
}

const lab = (...args: string[]): Promise<Said> =>
  new Promise((resolve) => {
    execFile(process.execPath, [CLI, ...args], (error, out, err) =>
      resolve({ code: error === null ? 0 : Number(error.code), out, err }),
    )
  })

/** Each worker loads the whole lab. */
const SLOW = { timeout: 60_000 }

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidegate-lab-'))
})
afterAll(() => rm(folder, { recursive: true }))

describe('npm run lab', () => {
  it('lists experiments, scenarios and policies', SLOW, async ({ expect }) => {
    const { out, code } = await lab('list')
    expect(code).toBe(0)
    for (const text of [
      'cataclysm-3',
      'soc-23-31',
      'shop-cold',
      'planet',
      'soc-lqr',
      'clairvoyant',
    ]) {
      expect(out).toContain(`  ${text}`)
    }
    const [, example = ''] = /--policy "(.*)"/.exec(out) ?? []
    expect(namesIn(example, POLICY_NAMES)).toHaveLength(3)
    expect(example.split(',').length).toBeGreaterThan(3)
  })

  it('runs an experiment and tests its claims', SLOW, async ({ expect }) => {
    const { out, code } = await lab('run', 'seda-10', '--short')
    expect(code).toBe(0)
    expect(out).toContain('holds: With control response times stay low')
    expect(out).toContain('why not: A thousand users')
    expect(out).not.toContain(LEGEND)
  })

  it('runs a scenario for some policies and prints JSON', SLOW, async ({ expect }) => {
    const { out } = await lab('run', 'api-steady', '--policy', 'none,clairvoyant', '--seeds', '2', '--json') // biome-ignore format: a command
    const { policies } = JSON.parse(out)['api-steady']
    expect(Object.keys(policies).sort()).toEqual(['clairvoyant', 'none'])
    expect(policies.none.share.mean).toBeLessThan(0.1)
    expect(policies.clairvoyant.share).toMatchObject({ mean: 1, low: 1, high: 1 })
    expect(policies.none.seeds).toBe(2)
  })

  it('runs a scenario file', SLOW, async ({ expect }) => {
    const file = join(folder, 'small.json')
    const scenario = {
      name: 'small',
      seconds: 60,
      granularity: 'request',
      sla: { targetMs: 200, windowMs: 10_000 },
      arrivals: { rate: 100 },
      origin: { servers: 2, serviceMs: 40 },
    }
    await writeFile(file, JSON.stringify(scenario))
    const { out, code } = await lab('run', file, '--policy', 'none', '--seeds', '1')
    expect(code).toBe(0)
    expect(out).toMatch(/small: small\npolicy .*\nnone +0\.\d+/)
    expect(out).toContain(LEGEND)
  })

  it('runs the planet, also by `run`', SLOW, async ({ expect }) => {
    const [direct, named, choice] = await Promise.all([
      lab('planet', '--short', '--json'),
      lab('run', 'planet', '--short', '--json'),
      lab('run', 'planet', '--seeds', '2'),
    ])
    expect([direct.code, named.code, choice.code]).toEqual([0, 0, 1])
    const { planet } = JSON.parse(named.out)
    const { coordinatorMs: _, ...figure } = JSON.parse(direct.out)
    expect(planet).toMatchObject(figure)
    expect(planet.dataCentres).toBe(330)
    expect(choice.err.trim()).toBe('planet: expected neither --policy nor --seeds. Leave them out.')
  })

  it('fails if an object of the planet gets too many requests', SLOW, async ({ expect }) => {
    const { code, out, err } = await lab('planet', '--short', '--most', '100')
    expect(code).toBe(1)
    expect(out).toContain('330 data centres')
    expect(err).toMatch(
      /^A region gets \d+ requests in a second \(crowd\), and should get at most 100\.$/m,
    )
  })

  it('says what is wrong and what to write instead', SLOW, async ({ expect }) => {
    const said = await Promise.all([
      lab('run', 'soc-9-11'),
      lab('run', 'api-steady', '--seeds', 'many'),
      lab('run', 'api-steady', '--policy', 'netflix-vega'),
      lab('run', join(folder, 'lost.json')),
    ])
    expect(said.map(({ code }) => code)).toEqual([1, 1, 1, 1])
    const [name, seeds, policy, file] = said.map(({ err }) => err.trim())
    expect(name).toMatch(/^soc-9-11: expected the name of .* Did you mean "soc-9-10"\?$/)
    expect(seeds).toBe(
      '--seeds: expected a whole number from 1 to 1000, got "many". Write for example 10.',
    )
    expect(policy).toBe(
      '--policy: expected the name of a policy, got "netflix-vega". Did you mean "netflix-vegas"?',
    )
    expect(file).toContain('lost.json: there is no such file.')
  })
})

describe('names separated by commas', () => {
  it('may contain commas', ({ expect }) => {
    const known = ['none', 'room', 'room: 95 %, evenly', 'evenly']
    expect(namesIn('none, room: 95 %, evenly, room', known)).toEqual([
      'none',
      'room: 95 %, evenly',
      'room',
    ])
    expect(() => namesIn('none,rooom', known)).toThrow('got "rooom". Did you mean "room"?')
  })
})
