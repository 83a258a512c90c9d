import { describe, it } from 'vitest'
import {
  type InService,
  NONE_IN_SERVICE,
  observeInService,
} from '../../../src/learners/soc-lqr/in-service.ts'
import type { Tick } from '../../../src/learners/soc-lqr/tick.ts'

/** 20 a second that take a second each: 20 in service, by Little's law. */
function second(given: Partial<Tick> = {}): Tick {
  return {
    seconds: 1,
    onSessions: true,
    sessions: 2,
    requests: 20,
    offered: 20,
    load: 20,
    completed: 20,
    served: 20,
    latencyS: 20,
    inService: 20,
    ages: [],
    offeredSessions: 0,
    contested: false,
    silent: false,
    ...given,
  }
}

function after(seconds: number, given: Partial<Tick>, from: InService = NONE_IN_SERVICE) {
  let inService = from
  let vanished = 0
  for (let n = 0; n < seconds; n++) {
    const found = observeInService(inService, second(given), true, 5)
    inService = found.inService
    vanished += found.vanished
  }
  return { inService, vanished }
}

describe('clients that gave up: sent, and neither completed nor there', () => {
  const from: InService = { ...NONE_IN_SERVICE, reported: 20, count: 20 }

  it('are 6 when 30 were sent, 20 came to an end and 4 more are in service', ({ expect }) => {
    const tick = second({ requests: 30, inService: 24 })
    expect(observeInService(from, tick, false, 5).vanished).toBe(6)
  })

  it('are none when the books balance: 30 sent, 20 ended, 10 more there', ({ expect }) => {
    const tick = second({ requests: 30, inService: 30 })
    expect(observeInService(from, tick, false, 5).vanished).toBe(0)
  })

  it('are not counted twice: completions that are reported a tick early are owed to the next', ({
    expect,
  }) => {
    const early = observeInService(from, second({ completed: 26 }), false, 5)
    expect(early.vanished).toBe(0)
    const late = observeInService(early.inService, second({ completed: 14 }), false, 5)
    expect(late.vanished).toBe(0)
  })
})

describe('requests of isolates that died are no load (Little: n = what completions spend in service)', () => {
  it('are believed as reported where they agree with it: 20', ({ expect }) => {
    expect(after(300, {}).inService.count).toBe(20)
  })

  it('are taken away when 300 more are reported than completions account for', ({ expect }) => {
    const { inService, vanished } = after(600, { inService: 320 })
    expect(inService.level).toBeCloseTo(320, 0)
    expect(inService.count).toBeCloseTo(20, 0)
    // Only the first report can seem to bring them, and it owes: nobody went away.
    expect(vanished).toBe(0)
  })

  it('leave requests behind whose end is never reported: 1 in 100 of these is nobody who gave up', ({
    expect,
  }) => {
    const { inService } = after(600, { inService: 320 })
    // 0.2 a second that 2 % of 20 account for; in 600 s they would be 120, beyond the doubt of 35.
    expect(after(600, { inService: 320, completed: 19.8 }, inService).vanished).toBe(0)
    // 1 a second is more than that: 0.6 · 600 = 360, less the 100 that are owed at the most.
    expect(after(600, { inService: 320, completed: 19 }, inService).vanished).toBeGreaterThan(220)
  })

  it('do not hide a queue that comes on top of them: 100 more are 100, less the doubt 2 √300 = 35', ({
    expect,
  }) => {
    const { inService } = after(600, { inService: 320 })
    const queued = second({ inService: 420, requests: 120 })
    const { count } = observeInService(inService, queued, false, 5).inService
    expect(Math.abs(count - (20 + 100 - 2 * Math.sqrt(300)))).toBeLessThan(2)
  })

  it('does not take a queue for them: in a backlog nothing is learned of what is usual', ({
    expect,
  }) => {
    const { inService } = after(300, {})
    let queued = inService
    for (let n = 0; n < 300; n++) {
      queued = observeInService(queued, second({ inService: 320 }), false, 5).inService
    }
    expect(queued.count).toBe(320)
  })
})
