import { describe, it } from 'vitest'
import { Hedge } from '../../src/lib/hedge.ts'
import { FakeRuntime } from '../support/fakes.ts'

/** A receiver: for each message that it gets, after how long it answers; null: never. */
function receiver(answersMs: readonly (number | null | Error)[], usualMs = 10) {
  const clock = new FakeRuntime(0)
  const hedge = new Hedge(clock, usualMs)
  const gotAtMs: number[] = []
  const message = (): Promise<number> => {
    const number = gotAtMs.push(clock.now()) - 1
    const answer = answersMs[number % answersMs.length]!
    if (answer instanceof Error) return Promise.reject(answer)
    return answer === null ? new Promise(() => {}) : clock.sleep(answer).then(() => number)
  }
  /** Sends a message, and waits for so long. Which copy was answered first, and when; null: none yet. */
  const send = async (waitMs: number) => {
    const sentAtMs = clock.now()
    let answered: { copy: number; afterMs: number } | { failure: unknown } | null = null
    const before = gotAtMs.length
    void hedge.send(message).then(
      (number) => (answered = { copy: number - before, afterMs: clock.now() - sentAtMs }),
      (failure) => (answered = { failure }),
    )
    await clock.advance(waitMs)
    return answered
  }
  return { hedge, clock, gotAtMs, send }
}

describe('a message', () => {
  it('is sent once where its answer comes in the usual time', async ({ expect }) => {
    const { send, gotAtMs } = receiver([10])
    expect(await send(100)).toEqual({ copy: 0, afterMs: 10 })
    expect(gotAtMs).toEqual([0])
  })

  it('is sent again after three times the usual time, and the first answer counts', async ({
    expect,
  }) => {
    const { send, gotAtMs } = receiver([null, 10])
    expect(await send(100)).toEqual({ copy: 1, afterMs: 40 })
    expect(gotAtMs).toEqual([0, 30])
  })

  it('gets its own answer where that comes before the one to a copy', async ({ expect }) => {
    const { send } = receiver([35, 100])
    expect(await send(200)).toEqual({ copy: 0, afterMs: 35 })
  })

  it('has two copies at the most', async ({ expect }) => {
    const { send, gotAtMs } = receiver([null])
    expect(await send(10_000)).toBeNull()
    expect(gotAtMs).toEqual([0, 30, 60])
  })

  it('is sent again at once when it has failed', async ({ expect }) => {
    const { send, gotAtMs } = receiver([new Error('Connection lost'), 10])
    expect(await send(100)).toEqual({ copy: 1, afterMs: 10 })
    expect(gotAtMs).toEqual([0, 0])
  })

  it('fails as it did first when all its copies fail', async ({ expect }) => {
    const first = new Error('the first')
    const { send } = receiver([first, new Error('a copy'), new Error('a copy')])
    expect(await send(100)).toEqual({ failure: first })
  })

  it('has no copy at a receiver that is overloaded', async ({ expect }) => {
    const overloaded = Object.assign(new Error('too many calls'), { overloaded: true })
    const { send, gotAtMs } = receiver([overloaded])
    expect(await send(100)).toEqual({ failure: overloaded })
    expect(gotAtMs).toEqual([0])
  })
})

describe('a receiver', () => {
  it('that has become slow gets no more copies when its new time is usual', async ({ expect }) => {
    const { send, gotAtMs, clock } = receiver([200])
    for (let i = 0; i < 60; i++) await send(1000)
    const before = gotAtMs.length
    const fromMs = clock.now()
    for (let i = 0; i < 10; i++) await send(1000)
    expect(gotAtMs.slice(before).map((ms) => ms - fromMs)).toEqual(
      Array.from({ length: 10 }, (_, i) => 1000 * i),
    )
  })

  it('that answers nobody gets no copies any more, until it answers', async ({ expect }) => {
    const answers: (number | null)[] = [null, null, null, null, null, 10, null, 10]
    const { send, gotAtMs } = receiver(answers)
    await send(1000)
    await send(1000)
    await send(1000)
    expect(gotAtMs).toEqual([0, 30, 60, 1000, 2000])
    expect(await send(1000)).toEqual({ copy: 0, afterMs: 10 })
    // The usual time is 9 ms by now.
    expect(await send(1000)).toEqual({ copy: 1, afterMs: 37 })
  })

  it('gets copies as soon as ever where answers are very quick', async ({ expect }) => {
    const { send, gotAtMs, clock } = receiver([1])
    for (let i = 0; i < 100; i++) await send(100)
    expect(gotAtMs).toHaveLength(100)
    const late = receiver([null, 1], 1)
    await late.send(100)
    // Never sooner than after 20 ms.
    expect(late.gotAtMs).toEqual([0, 20])
    expect(clock.now()).toBe(10_000)
  })
})
