import { runCommand } from 'citty'
import { afterEach, describe, it, vi } from 'vitest'
import { worldsCommand } from '../../../lab/commands/worlds.ts'
import type { Look } from '../../../lab/worlds/looks.ts'

/** What the command prints on this thread, and the looks that it records. */
async function worlds(...rawArgs: string[]) {
  const looks: Look[] = []
  const lines: string[] = []
  const print = (line: string) => void lines.push(line)
  vi.spyOn(console, 'log').mockImplementation(print)
  vi.spyOn(console, 'error').mockImplementation(print)
  const command = worldsCommand(async (all) => void looks.push(...all))
  await runCommand(command, { rawArgs: ['--jobs', '0', ...rawArgs] })
  const { exitCode } = process
  process.exitCode = undefined
  return { looks, text: lines.join('\n'), exitCode }
}

/** A small origin without troubles. */
const SMALL = ['--only', '1.1641', '--policy', 'none', '--date', '2026-09-30']

describe('npm run lab -- worlds', () => {
  afterEach(() => void vi.restoreAllMocks())

  it('records each look: seed, date, policy and results', async ({ expect }) => {
    const { looks, text } = await worlds(...SMALL)
    expect(looks).toMatchObject([
      { date: '2026-09-30', seed: 1, policy: 'none', results: [{ world: '1.1641' }] },
    ])
    expect(text).toMatch(/^none +1 /m)
    expect(text).toContain('The clairvoyant that varies its load reaches')
    const alone = await worlds(...SMALL, '--one-isolate', '--json')
    expect(alone.looks[0]!.policy).toBe('none behind one isolate')
  })

  it('prints JSON with the worlds as plain data', async ({ expect }) => {
    const { text } = await worlds(...SMALL, '--json')
    const { complete, policies, worlds: all } = JSON.parse(text)
    expect([complete, policies.none.worlds]).toEqual([true, 1])
    const [world] = all
    expect(world).toMatchObject({ name: '1.1641', seed: 1, index: 1641 })
    expect(world.clairvoyants.varying.inSlaValue).toBeGreaterThan(0)
    expect(world.policies.none.share).toBe(policies.none.share)
  })

  it('wants whole numbers and the names of policies', async ({ expect }) => {
    for (const args of [
      ['--seed', 'x'],
      ['--count', '0'],
      ['--only', '7'],
      ['--only', '1.x'],
    ]) {
      const { text, looks, exitCode } = await worlds(...args)
      expect(text).toMatch(/^--seed and --count: expected whole numbers/)
      expect([looks, exitCode]).toEqual([[], 1])
    }
    expect((await worlds('--policy', 'soc-lqrr')).text).toContain('Did you mean "soc-lqr"?')
  })
})
