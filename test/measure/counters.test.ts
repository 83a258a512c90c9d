import fc from 'fast-check'
import { describe, it } from 'vitest'
import { histogramTotal } from '../../src/lib/histogram.ts'
import { ageBucketOf } from '../../src/lib/session-age-buckets.ts'
import { ClassCounters } from '../../src/measure/counters.ts'
import { type InFlightRequest, OpenRequests } from '../../src/measure/in-flight-request.ts'
import { RouteCounters } from '../../src/measure/route-counters.ts'
import { NO_CLASS_FEEDBACK } from '../../src/protocol/merge-reports.ts'
import { histogramOf } from '../support/histogram.ts'

const TIMEOUT_MS = 30_000
const counters = (): ClassCounters => new ClassCounters(1000)
const begin = (counted: ClassCounters, nowMs: number): InFlightRequest =>
  new OpenRequests(TIMEOUT_MS).begin(counted, nowMs)

describe('a request in flight', () => {
  it('is settled as served at its headers: in time, with its response time', ({ expect }) => {
    const counted = counters()
    const request = begin(counted, 5000)
    request.headersReceived(5250, true)
    request.settle('served')
    expect(counted.drain()).toEqual({
      ...NO_CLASS_FEEDBACK,
      requests: 1,
      served: 1,
      latencyUs: 250_000,
      latency: histogramOf([250]),
    })
  })

  it('is late when its headers come after the target, not when they come at it', ({ expect }) => {
    const counted = counters()
    for (const ms of [1000, 1001]) {
      const request = begin(counted, 0)
      request.headersReceived(ms, true)
      request.settle('served')
    }
    expect(counted.drain()).toMatchObject({ served: 2, late: 1 })
  })

  it('is late if it failed, however fast, and its time is not a sample', ({ expect }) => {
    const counted = counters()
    const request = begin(counted, 0)
    request.headersReceived(3, true)
    request.settle('failed')
    expect(counted.drain()).toMatchObject({ failed: 1, late: 1, latencyUs: 0, latency: [] })
  })

  it('is neither served nor late if it was abandoned', ({ expect }) => {
    const counted = counters()
    begin(counted, 0).settle('abandoned')
    expect(counted.drain()).toMatchObject({ requests: 1, abandoned: 1, served: 0, late: 0 })
  })

  it('is served without a sample if the origin itself did not answer', ({ expect }) => {
    const counted = counters()
    const request = begin(counted, 0)
    request.headersReceived(9000, false)
    request.settle('served')
    expect(counted.drain()).toMatchObject({ served: 1, late: 0, latencyUs: 0, latency: [] })
  })

  it('throws when it is settled twice, and is counted once', ({ expect }) => {
    const counted = counters()
    const request = begin(counted, 0)
    request.settle('failed')
    expect(() => request.settle('served')).toThrow('settled already')
    request.settleUnlessSettled('abandoned')
    expect(counted.drain()).toMatchObject({ served: 0, failed: 1, abandoned: 0 })
  })

  it('never has a time below zero, although clocks may jump back', ({ expect }) => {
    const counted = counters()
    const request = begin(counted, 5000)
    request.headersReceived(4000, true)
    request.settle('served')
    expect(counted.drain()).toMatchObject({ latencyUs: 0, latency: [0, 1] })
  })

  it('is in flight from its opening to its headers, or to its end without them', ({ expect }) => {
    const counted = counters()
    const [first, second] = [begin(counted, 0), begin(counted, 0)]
    expect(counted.inFlight).toBe(2)
    first.headersReceived(10, true)
    expect(counted.inFlight).toBe(1)
    first.settle('served')
    second.settle('abandoned')
    expect(counted.inFlight).toBe(0)
  })

  it('is no longer in flight if its headers come after its end', ({ expect }) => {
    const counted = counters()
    const request = begin(counted, 0)
    request.settle('abandoned')
    request.headersReceived(10, true)
    expect(counted.drain()).toMatchObject({ inFlight: 0, abandoned: 1, latency: [] })
  })

  it('is settled once and is then no longer in flight, in any order of events', ({ expect }) => {
    const end = fc.constantFrom('headers', 'served', 'failed', 'abandoned')
    const run = (request: InFlightRequest, ends: readonly string[]): void => {
      for (const what of ends) {
        if (what === 'headers') request.headersReceived(10, true)
        else request.settleUnlessSettled(what as 'served' | 'failed' | 'abandoned')
      }
      request.settleUnlessSettled('abandoned')
    }
    fc.assert(
      fc.property(fc.array(fc.array(end, { maxLength: 6 }), { maxLength: 8 }), (requests) => {
        const counted = counters()
        for (const ends of requests) run(begin(counted, 0), ends)
        const { served, failed, abandoned, inFlight, latencyUs, latency } = counted.drain()
        expect(served + failed + abandoned).toBe(requests.length)
        expect(inFlight).toBe(0)
        expect(latencyUs).toBeGreaterThanOrEqual(0)
        expect(histogramTotal(latency)).toBeLessThanOrEqual(served)
      }),
    )
  })
})

describe('requests that the runtime ended without an event', () => {
  it('are abandoned 90 s after their timeout', ({ expect }) => {
    const counted = counters()
    const open = new OpenRequests(TIMEOUT_MS)
    open.begin(counted, 0)
    open.begin(counted, 1)
    open.sweep(TIMEOUT_MS + 89_999)
    expect(open.size).toBe(2)
    open.sweep(TIMEOUT_MS + 90_000)
    expect(open.size).toBe(1)
    expect(counted.drain()).toMatchObject({ abandoned: 1, inFlight: 1 })
  })

  it('do not include settled ones', ({ expect }) => {
    const counted = counters()
    const open = new OpenRequests(TIMEOUT_MS)
    const request = open.begin(counted, 0)
    request.headersReceived(10, true)
    request.settle('served')
    expect(open.size).toBe(0)
    open.sweep(1_000_000)
    expect(counted.drain()).toMatchObject({ served: 1, abandoned: 0, inFlight: 0 })
  })
})

describe('the counters of a class', () => {
  it('start from 0 after each report, except requests in flight', ({ expect }) => {
    const counted = counters()
    counted.offered = 5
    counted.admitted = 4
    counted.guaranteed = 3
    counted.early = 2
    counted.wouldRefuse = 1
    const request = begin(counted, 0)
    expect(counted.drain()).toMatchObject({
      ...{ offered: 5, admitted: 4, guaranteed: 3, early: 2, wouldRefuse: 1 },
      ...{ requests: 1, inFlight: 1 },
    })
    expect(counted.drain()).toEqual({ ...NO_CLASS_FEEDBACK, inFlight: 1 })
    request.headersReceived(100, true)
    request.settle('served')
    expect(counted.drain()).toMatchObject({ requests: 0, served: 1, inFlight: 0 })
    expect(counted.drain()).toEqual(NO_CLASS_FEEDBACK)
  })

  it('compare with the target in force when the headers come', ({ expect }) => {
    const counted = counters()
    const request = begin(counted, 0)
    counted.targetMs = 200
    request.headersReceived(300, true)
    request.settle('served')
    expect(counted.drain().late).toBe(1)
  })
})

describe('the counters of a route', () => {
  it('report each class by name, and the ages of sessions at their requests', ({ expect }) => {
    const counted = new RouteCounters(['buyers', 'default'], 1000)
    counted.classes[0]!.offered = 2
    for (const ageMs of [0, 0, 60_000]) counted.sessionRequest(ageMs)
    expect(counted.drain()).toEqual({
      classes: { buyers: { ...NO_CLASS_FEEDBACK, offered: 2 }, default: NO_CLASS_FEEDBACK },
      ages: [0, 2, ageBucketOf(60_000), 1],
    })
    expect(counted.drain().ages).toEqual([])
  })

  it('add up the requests in flight of all classes', ({ expect }) => {
    const counted = new RouteCounters(['buyers', 'default'], 1000)
    begin(counted.classes[0]!, 0)
    const request = begin(counted.classes[1]!, 0)
    expect(counted.inFlight).toBe(2)
    request.settle('failed')
    expect(counted.inFlight).toBe(1)
  })
})
