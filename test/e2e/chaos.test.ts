import { describe, it } from 'vitest'
import { scheduleOf } from '../../tools/chaos/faults.ts'
import { runChaos } from '../../tools/chaos/run.ts'
import { coinsOf } from '../../tools/random.ts'

/** The short form of `npm run test:chaos`. */
describe('Faults of every kind under a flood', () => {
  it('refuse no admitted session, and lose no count, no knowledge and no action', async ({
    expect,
  }) => {
    const learner = { name: 'fixed', limit: 15 }
    const result = await runChaos({ seed: 1, seconds: 6, warmUpS: 2, learner })
    expect(result.violations).toEqual([])
    expect(result.faults).toBeGreaterThanOrEqual(3)
    expect(result.actions).toBeGreaterThan(0)
    expect(result.counts.answers[503]).toBeGreaterThan(0)
  })

  it('come in an order that the seed decides, each kind before any comes again', ({ expect }) => {
    const kindsOf = (seed: number) =>
      scheduleOf(coinsOf(seed, 'faults'), 60_000).map(({ fault }) => fault.kind)
    expect(kindsOf(1)).toEqual(kindsOf(1))
    expect(kindsOf(1)).not.toEqual(kindsOf(2))
    expect(new Set(kindsOf(1).slice(0, 12)).size).toBe(12)
  })
})
