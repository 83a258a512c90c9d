import { describe, it } from 'vitest'
import { gateOf, tallyOf } from '../support/crowds.ts'
import { type Planned, planOf, subjectOf } from '../support/requests.ts'

const SMALL_FIRST = { granularity: 'request', smallFirst: true }

/** A gate, and the way of a request through it that the origin answers after so long. */
async function passing(keys: object = SMALL_FIRST, plan: Planned = {}) {
  const { route, startMs } = await gateOf(keys, plan)
  let nowMs = startMs
  const pass = (path: string, ms: number, answer = new Response('body'), isSample = true) => {
    const { subject, judgement } = judged(path)
    const ticket = route.open(judgement, nowMs)!
    nowMs += ms
    ticket.headers(nowMs, isSample)
    route.answered(subject.url.path, ticket, answer)
    ticket.settle('served')
  }
  const judged = (path: string) => {
    const subject = subjectOf(path)
    return { subject, judgement: route.judge(subject, nowMs) }
  }
  const sizeOf = (path: string): number => judged(path).judgement.serviceMs
  return { route, pass, sizeOf }
}

describe('the size of a request (Cataclysm §3.5)', () => {
  it('is what its path took when the origin had nothing else to do', async ({ expect }) => {
    const { pass, sizeOf } = await passing()
    expect(sizeOf('/report')).toBe(0)
    pass('/report?from=1', 400)
    pass('/items/17', 20)
    expect(sizeOf('/report?to=2')).toBe(400)
    expect(sizeOf('/items/4711')).toBe(20)
  })

  it('is as the others’ of its route where its path is new', async ({ expect }) => {
    const { pass, sizeOf } = await passing()
    pass('/a', 30)
    expect(sizeOf('/b')).toBe(30)
  })

  it('is the origin’s mean, as the plan says, in an isolate that has seen nothing yet', async ({
    expect,
  }) => {
    const load = { servers: 3, serviceMs: 50, inFlight: 0, queueingMs: 0 }
    const { route, sizeOf } = await passing()
    route.link.sizes!.follow({ ...planOf(), load })
    expect(sizeOf('/a')).toBe(50)
  })

  it('is what the origin itself says, cpu and data, whatever it took', async ({ expect }) => {
    const { pass, sizeOf } = await passing()
    const headers = { 'Server-Timing': 'cpu;dur=12, db;dur=30' }
    pass('/a', 900, new Response('body', { headers }))
    // α is near 1 after one request.
    expect(sizeOf('/a')).toBeGreaterThan(42)
    expect(sizeOf('/a')).toBeLessThan(52)
  })

  it('is not learned from failures, cache hits and streams', async ({ expect }) => {
    const { pass, sizeOf } = await passing()
    pass('/a', 20)
    pass('/a', 900, new Response(null, { status: 503 }))
    pass('/a', 1, new Response('body'), false)
    expect(sizeOf('/a')).toBe(20)
  })

  it('is divided by the load that the plan tells of: a third of 4 requests beside it', async ({
    expect,
  }) => {
    const { route, pass, sizeOf } = await passing()
    const load = { servers: 3, serviceMs: 0, inFlight: 4, queueingMs: 0 }
    route.link.sizes!.follow({ ...planOf(), load })
    pass('/a', 70)
    expect(sizeOf('/a')).toBeCloseTo(70 / (1 + 4 / 3))
  })
})

describe('where sizes are known', () => {
  it('what was asked for and what was sent is reported, in whole microseconds', async ({
    expect,
  }) => {
    const { route, pass, sizeOf } = await passing()
    pass('/a', 20)
    pass('/a', 20)
    sizeOf('/a')
    // The first of the three was of unknown size.
    const { offered, offeredUs, requests, serviceUs } = tallyOf(route).drain()
    expect({ offered, offeredUs, requests, serviceUs }).toEqual({
      ...{ offered: 3, offeredUs: 40_000, requests: 2, serviceUs: 20_000 },
    })
    expect(tallyOf(route).drain()).toMatchObject({ offeredUs: 0, serviceUs: 0 })
  })

  it('the largest request at the origin is known until its answer comes', async ({ expect }) => {
    const { route, pass } = await passing()
    const { inFlight } = route.link.sizes!
    pass('/report', 400)
    const judgement = route.judge(subjectOf('/report'), 0)
    const [left, reset] = [route.open(judgement, 0)!, route.open(judgement, 0)!]
    expect(inFlight.size).toBe(2)
    expect(Math.abs(inFlight.longestMs / 400 - 1)).toBeLessThan(0.1)
    left.headers(400, true)
    reset.settle('abandoned')
    left.settle('served')
    expect([inFlight.size, inFlight.longestMs]).toEqual([0, 0])
  })
})

describe('where nothing depends on sizes', () => {
  it('none are learned', async ({ expect }) => {
    for (const keys of [{}, { granularity: 'request' }]) {
      const { route, pass, sizeOf } = await passing(keys)
      expect(route.link.sizes).toBeNull()
      pass('/a', 20)
      expect(sizeOf('/a')).toBe(0)
      expect(tallyOf(route).drain()).toMatchObject({ offeredUs: 0, serviceUs: 0 })
    }
  })

  it('is where no route of the origin asks for the order by density, for batches or small first', async ({
    expect,
  }) => {
    for (const keys of [{ order: 'density' }, { police: 'batch' }, { police: 'auto' }, SMALL_FIRST])
      expect((await passing(keys)).route.link.sizes).not.toBeNull()
  })
})
