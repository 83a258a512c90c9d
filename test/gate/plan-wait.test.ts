import { describe, it } from 'vitest'
import { PlanWait } from '../../src/gate/plan-wait.ts'
import { BackOff } from '../../src/lib/back-off.ts'

function waiting() {
  let nowMs = 0
  const runtime = {
    now: () => nowMs,
    coin: () => 0.5,
    id: () => 'id',
    sleep: (ms: number) => {
      nowMs += ms
      return Promise.resolve()
    },
  }
  const wait = new PlanWait(runtime, new BackOff())
  /** Until when nobody waits after an answer that did not come. */
  const pauseMs = (): number => {
    wait.missed()
    const fromMs = nowMs
    while (wait.isInVain(nowMs)) nowMs++
    return nowMs - fromMs
  }
  return { wait, pauseMs, runtime }
}

describe('waiting for an answer of the relay', () => {
  it('pauses for an eighth of a second after one lost answer: a single one says nothing', ({
    expect,
  }) => {
    const { pauseMs } = waiting()
    expect(pauseMs()).toBe(125)
  })

  it('pauses twice as long after each further one in a row, for a second at the most', ({
    expect,
  }) => {
    const { pauseMs } = waiting()
    expect([pauseMs(), pauseMs(), pauseMs(), pauseMs(), pauseMs()]).toEqual([
      125, 250, 500, 1000, 1000,
    ])
  })

  it('begins anew after an answer', ({ expect }) => {
    const { wait, pauseMs } = waiting()
    pauseMs()
    pauseMs()
    wait.over()
    expect(wait.isInVain(0)).toBe(false)
    expect(pauseMs()).toBe(125)
  })

  it('waits no longer than 100 ms for an answer that does not come', async ({ expect }) => {
    const { wait, runtime } = waiting()
    const never = new Promise<void>(() => {})
    expect(await wait.until(never, () => false, 0)).toBe(false)
    expect(runtime.now()).toBe(100)
  })
})
