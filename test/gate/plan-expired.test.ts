import { describe, it } from 'vitest'
import { OriginState } from '../../src/gate/origin-state.ts'
import { Reporter } from '../../src/gate/reporter.ts'
import { background, FakePort, FakeRuntime, refusing } from '../support/fakes.ts'
import { planOf, routeOf } from '../support/requests.ts'

const LIMIT = 20

/** A crowd of 100 visitors a second before an isolate, with a plan that is good for 2 s. */
function crowdAt(failure: 'local' | 'closed') {
  const route = routeOf({ failure })
  const runtime = new FakeRuntime()
  const port = new FakePort()
  const state = new OriginState([route], runtime)
  const reporter = new Reporter([route], state, { sender: 'a', port, cache: null, runtime })
  const classes = { default: { probability: LIMIT / 100 } }
  const sound = async () => ({
    plan: planOf({ drawLimit: LIMIT, goodForMs: 2000, classes }),
    share: 1,
  })
  port.answer = sound
  /** Admitted in each of these seconds. */
  const seconds = async (count: number): Promise<number[]> => {
    const admitted: number[] = []
    for (let i = 0; i < count; i++) {
      let sum = 0
      for (let k = 0; k < 100; k++) {
        reporter.touch(background, runtime.now())
        if (state.admission.draw(route, 0, runtime.now()).kind === 'admit') sum++
        await runtime.advance(10)
      }
      admitted.push(sum)
    }
    return admitted
  }
  const lose = (): void => {
    port.answer = refusing
  }
  const find = (): void => {
    port.answer = sound
  }
  return { seconds, lose, find }
}

describe('a plan that has expired', () => {
  it('stays bounded by its own limit until the failure rule holds', async ({ expect }) => {
    const { seconds, lose } = crowdAt('closed')
    await seconds(5)
    lose()
    // Three failed reports.
    for (const admitted of await seconds(3)) expect(admitted).toBeLessThanOrEqual(1.5 * LIMIT)
    expect((await seconds(3)).at(-1)).toBe(0)
  })

  it.for(['local', 'closed'] as const)(
    'is followed again without a burst when the coordinator is back: failure "%s"',
    async (failure, { expect }) => {
      const { seconds, lose, find } = crowdAt(failure)
      await seconds(5)
      lose()
      await seconds(30)
      find()
      // One second for the next report, with what the failure rule lets in.
      await seconds(1)
      const back = await seconds(10)
      for (const admitted of back) expect(admitted).toBeLessThanOrEqual(1.5 * LIMIT)
      const sum = back.reduce((all, one) => all + one, 0)
      expect(sum).toBeGreaterThan(0.9 * 10 * LIMIT)
      expect(sum).toBeLessThan(1.15 * 10 * LIMIT)
    },
  )
})
