import { describe, it } from 'vitest'
import { RelayCore } from '../../src/coordinator/relay-core.ts'
import type { ReportAnswer } from '../../src/protocol/coordinator-port.ts'
import { isFeedback } from '../../src/protocol/feedback-schema.ts'
import { feedbackOf, setupOf } from '../support/feedback.ts'
import { planOf } from '../support/requests.ts'

const NOW = 1000

const report = (sender: string, seq: number, toMs: number, offered = 0, setup = setupOf()) =>
  feedbackOf({ shop: { default: { offered, inFlight: 2 } } }, { sender, seq, toMs, setup })

const answer = (setup = { id: 'a setup', sinceMs: 0 }, share = 1): ReportAnswer => ({
  plan: planOf({ setup }),
  share,
})

describe('a relay’s core', () => {
  it('makes one report of the colo out of those of its isolates', ({ expect }) => {
    const core = new RelayCore('relay')
    core.take(report('a', 0, 1000, 10), 1000)
    core.take(report('b', 0, 1000, 5), 1000)
    const forwarded = core.forward('origin', 1000)
    expect(isFeedback(forwarded)).toBe(true)
    expect(forwarded).toMatchObject({
      ...{ origin: 'origin', sender: 'relay', seq: 0, fromMs: 0, toMs: 1000 },
      setup: { id: 'a setup' },
      routes: { shop: { classes: { default: { offered: 15, inFlight: 4 } } } },
    })
  })

  it('adds up what its isolates saw of the servers, and else does not mention them', ({
    expect,
  }) => {
    const core = new RelayCore('relay')
    const seen = (tries: number, failures: number) => ({ 'http://a': { tries, failures } })
    core.take(feedbackOf({}, { sender: 'a', servers: seen(3, 0) }), 1000)
    core.take(feedbackOf({}, { sender: 'b', servers: seen(4, 2) }), 1000)
    const forwarded = core.forward('origin', 1000)
    expect(forwarded.servers).toEqual(seen(7, 2))
    expect(isFeedback(forwarded)).toBe(true)
    core.take(report('a', 1, 2000), 2000)
    expect(core.forward('origin', 2000)).not.toHaveProperty('servers')
  })

  it('numbers what it forwards, each draw once', ({ expect }) => {
    const core = new RelayCore('relay')
    for (let i = 0; i < 3; i++) {
      core.take(report('a', i, (i + 1) * 1000, 10), (i + 1) * 1000)
      expect(core.forward('origin', (i + 1) * 1000)).toMatchObject({
        seq: i,
        routes: { shop: { classes: { default: { offered: 10 } } } },
      })
    }
  })

  it('drops a repeated report, which is no news', ({ expect }) => {
    const core = new RelayCore('relay')
    core.take(report('a', 0, 1000, 10), 1000)
    core.forward('origin', 1000)
    expect(core.take(report('a', 0, 1000, 10), 3000)).toBe(true)
    expect(core.hasNews).toBe(false)
    expect(core.isTimeToForward(3000)).toBe(false)
  })

  it('leaves aside what is no feedback', ({ expect }) => {
    const core = new RelayCore('relay')
    expect(core.take({ nonsense: true }, 1000)).toBe(false)
    expect(core.hasNews).toBe(false)
  })
})

describe('the time to forward', () => {
  it('is at once for the first report, then about once a second', ({ expect }) => {
    const core = new RelayCore('relay')
    expect(core.isTimeToForward(1000)).toBe(false)
    core.take(report('a', 0, 1000), 1000)
    expect(core.isTimeToForward(1000)).toBe(true)
    core.forward('origin', 1000)
    core.take(report('b', 0, 1300), 1300)
    expect(core.isTimeToForward(1300)).toBe(false)
    expect(core.waitMs(1300)).toBe(600)
    expect(core.isTimeToForward(1900)).toBe(true)
    expect(core.waitMs(5000)).toBe(0)
  })
})

describe('the setup', () => {
  const isTold = (core: RelayCore): boolean => core.forward('origin', 9000).setup !== undefined

  it('is passed on until the coordinator shows that it is known', ({ expect }) => {
    const core = new RelayCore('relay')
    core.take(report('a', 0, 1000), 1000)
    expect(isTold(core)).toBe(true)
    expect(isTold(core)).toBe(true)
    core.learn(answer())
    expect(isTold(core)).toBe(false)
  })

  it('of the isolate that started last is the one that counts', ({ expect }) => {
    const core = new RelayCore('relay')
    core.take(report('new', 0, 1000, 0, setupOf({ id: 'newer', sinceMs: 2 })), 1000)
    core.take(report('old', 0, 1000, 0, setupOf({ id: 'older', sinceMs: 1 })), 1000)
    expect(core.forward('origin', 1000).setup?.id).toBe('newer')
  })

  it('is passed on again to a coordinator that has lost everything', ({ expect }) => {
    const core = new RelayCore('relay')
    core.take(report('a', 0, 1000), 1000)
    core.learn(answer())
    core.learn({ plan: null, share: 0 })
    expect(isTold(core)).toBe(true)
  })

  it('is not passed on where a later one is in force', ({ expect }) => {
    const core = new RelayCore('relay')
    core.take(report('a', 0, 1000, 0, setupOf({ sinceMs: 5 })), 1000)
    core.learn(answer({ id: 'a later one', sinceMs: 6 }))
    expect(isTold(core)).toBe(false)
  })
})

describe('the answer to an isolate', () => {
  it('is the newest plan, and its part of the colo’s share', ({ expect }) => {
    const core = new RelayCore('relay')
    core.take(report('a', 0, 1000, 30), 1000)
    core.take(report('b', 0, 1000, 10), 1000)
    core.learn(answer(undefined, 0.5))
    expect(core.answerTo('a', NOW)).toEqual({ ...answer(), share: 0.375 })
    expect(core.answerTo('b', NOW).share).toBe(0.125)
    expect(core.answerTo('nobody', NOW).share).toBe(0)
  })

  it('is without a plan while none has come', ({ expect }) => {
    const core = new RelayCore('relay')
    core.take(report('a', 0, 1000), 1000)
    expect(core.answerTo('a', NOW)).toEqual({ plan: null, share: 0 })
  })

  it('is an error to all of them while the coordinator cannot be reached', ({ expect }) => {
    const core = new RelayCore('relay')
    core.learn(answer())
    for (const sender of ['a', 'b']) core.take(report(sender, 0, 1000), 1000)
    core.lose()
    for (const sender of ['a', 'b']) expect(() => core.answerTo(sender, NOW)).toThrow('be reached')
    core.learn(answer())
    expect(core.answerTo('a', NOW).plan).not.toBeNull()
  })
})
