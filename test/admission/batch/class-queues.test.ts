import { describe, it } from 'vitest'
import type { ServerLoad } from '../../../src/admission/batch/batch-test.ts'
import { ClassQueues } from '../../../src/admission/batch/class-queues.ts'
import { InFlightSizes } from '../../../src/measure/in-flight-sizes.ts'

const [GOLD, SILVER, BRONZE] = [0, 1, 2]
const load: ServerLoad = {
  queueingMs: 0,
  inFlight: 0,
  servers: 1,
  targetMs: 1000,
  longestMs: 0,
  rounding: 0,
}

function judged(
  queues: ClassQueues<string>,
  at: ServerLoad,
  nowMs: number,
): Record<string, boolean> {
  const verdicts: Record<string, boolean> = {}
  queues.judge(at, nowMs, (request, admitted) => {
    verdicts[request] = admitted
  })
  return verdicts
}

describe('class queues (Urgaonkar and Shenoy 2005, §3.1, Fig. 2)', () => {
  it('judge Gold at once, Silver at the next 50 ms and Bronze at the next 100 ms', ({ expect }) => {
    const queues = new ClassQueues<string>(3)
    expect(queues.add('gold', GOLD!, 10, 0, 1012)).toBe(1012)
    expect(queues.add('silver', SILVER!, 10, 50, 1012)).toBe(1050)
    expect(queues.add('bronze', BRONZE!, 10, 100, 1012)).toBe(1100)
    expect(judged(queues, load, 1012)).toEqual({ gold: true })
    expect(judged(queues, load, 1049)).toEqual({})
    expect(judged(queues, load, 1050)).toEqual({ silver: true })
    expect(judged(queues, load, 1100)).toEqual({ bronze: true })
    expect(queues.size).toBe(0)
  })

  it('delay no request by more than the class delay, however late others join', ({ expect }) => {
    const queues = new ClassQueues<string>(2)
    expect(queues.add('first', SILVER!, 10, 50, 1000)).toBe(1050)
    expect(queues.add('second', SILVER!, 10, 50, 1049)).toBe(1050)
    expect(judged(queues, load, 1053)).toEqual({ first: true, second: true })
  })

  it('forget a removed request', ({ expect }) => {
    const queues = new ClassQueues<string>(2)
    queues.add('gone', SILVER!, 10, 50, 1000)
    queues.add('here', SILVER!, 10, 50, 1000)
    queues.remove('gone', SILVER!, 10)
    queues.remove('gone', SILVER!, 10)
    queues.remove('never there', GOLD!, 500)
    expect(queues.size).toBe(1)
    expect(judged(queues, load, 1050)).toEqual({ here: true })
    queues.add('alone', SILVER!, 10, 50, 1060)
    queues.remove('alone', SILVER!, 10)
    expect(judged(queues, load, 1100)).toEqual({})
    expect(queues.size).toBe(0)
  })

  it('give the last place to the more important of two that are due together', ({ expect }) => {
    const queues = new ClassQueues<string>(3)
    queues.add('bronze', BRONZE!, 100, 100, 1001)
    queues.add('silver', SILVER!, 100, 50, 1051)
    expect(judged(queues, { ...load, inFlight: 8 }, 1100)).toEqual({ silver: true, bronze: false })
  })

  it('admit the small requests of a class first, and equal ones in order of arrival', ({
    expect,
  }) => {
    const queues = new ClassQueues<string>(1)
    queues.add('large', GOLD!, 400, 0, 0)
    queues.add('small', GOLD!, 100, 0, 0)
    queues.add('next', GOLD!, 400, 0, 0)
    expect(judged(queues, load, 0)).toEqual({ small: true, large: true, next: false })
  })

  it('refuse waiting requests of a less important class when a smaller request of a more important one fails', ({
    expect,
  }) => {
    const queues = new ClassQueues<string>(2)
    queues.add('large silver', SILVER!, 100, 50, 1000)
    queues.add('small silver', SILVER!, 10, 50, 1000)
    queues.add('gold', GOLD!, 100, 0, 1010)
    const full = { ...load, inFlight: 10 }
    expect(judged(queues, full, 1010)).toEqual({ gold: false, 'large silver': false })
    expect(judged(queues, full, 1050)).toEqual({ 'small silver': true })
  })

  it('refuse a less important class for R_sla after a more important one failed, even if places become free', ({
    expect,
  }) => {
    const queues = new ClassQueues<string>(2)
    queues.add('gold', GOLD!, 100, 0, 1000)
    expect(judged(queues, { ...load, inFlight: 10 }, 1000)).toEqual({ gold: false })
    queues.add('silver', SILVER!, 100, 50, 1901)
    expect(judged(queues, load, 1950)).toEqual({ silver: false })
    queues.add('silver', SILVER!, 100, 50, 1951)
    expect(judged(queues, load, 2000)).toEqual({ silver: true })
  })

  it('never refuse a more important class because a less important one failed', ({ expect }) => {
    const queues = new ClassQueues<string>(2)
    queues.add('silver', SILVER!, 100, 50, 1000)
    expect(judged(queues, { ...load, inFlight: 9 }, 1050)).toEqual({ silver: false })
    queues.add('gold', GOLD!, 100, 0, 1051)
    expect(judged(queues, { ...load, inFlight: 9 }, 1051)).toEqual({ gold: true })
  })

  it('settle every request once', ({ expect }) => {
    const queues = new ClassQueues<string>(1)
    queues.add('a', GOLD!, 10, 0, 0)
    expect(judged(queues, load, 0)).toEqual({ a: true })
    expect(judged(queues, load, 0)).toEqual({})
  })
})

describe('the sizes of requests in flight', () => {
  it('give the number and the largest size, within 10 %', ({ expect }) => {
    const inFlight = new InFlightSizes()
    for (const ms of [5, 200, 30]) inFlight.enter(ms)
    expect(inFlight.size).toBe(3)
    expect(inFlight.longestMs / 200).toBeGreaterThan(0.9)
    inFlight.leave(200)
    expect(inFlight.longestMs / 30).toBeLessThan(1.1)
    inFlight.leave(200)
    inFlight.leave(5)
    inFlight.leave(30)
    expect([inFlight.size, inFlight.longestMs]).toEqual([0, 0])
  })
})
