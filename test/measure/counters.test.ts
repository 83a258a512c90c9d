import fc from 'fast-check'
import { describe, it } from 'vitest'
import { histogramOf, histogramTotal } from '../../src/lib/histogram.ts'
import { ageBucketOf } from '../../src/lib/session-age-buckets.ts'
import { ClassCounters, RouteCounters } from '../../src/measure/counters.ts'
import type { RequestRecord } from '../../src/measure/request-record.ts'
import { NO_CLASS_FEEDBACK } from '../../src/protocol/merge.ts'

const tally = (): ClassCounters => new ClassCounters(1000)

describe('a ticket', () => {
  it('is settled as served at its headers: in time, with its response time', ({ expect }) => {
    const counted = tally()
    const ticket = counted.open(5000)
    ticket.headers(5250, true)
    ticket.settle('served')
    expect(counted.drain()).toEqual({
      ...NO_CLASS_FEEDBACK,
      requests: 1,
      served: 1,
      latencyUs: 250_000,
      latency: histogramOf([250]),
    })
  })

  it('is late when its headers come after the target, not when they come at it', ({ expect }) => {
    const counted = tally()
    for (const ms of [1000, 1001]) {
      const ticket = counted.open(0)
      ticket.headers(ms, true)
      ticket.settle('served')
    }
    expect(counted.drain()).toMatchObject({ served: 2, late: 1 })
  })

  it('is late when it failed, however fast, and its time is no sample', ({ expect }) => {
    const counted = tally()
    const ticket = counted.open(0)
    ticket.headers(3, true)
    ticket.settle('failed')
    expect(counted.drain()).toMatchObject({ failed: 1, late: 1, latencyUs: 0, latency: [] })
  })

  it('is neither served nor late when it was abandoned', ({ expect }) => {
    const counted = tally()
    counted.open(0).settle('abandoned')
    expect(counted.drain()).toMatchObject({ requests: 1, abandoned: 1, served: 0, late: 0 })
  })

  it('is served without a sample where the origin did not answer itself', ({ expect }) => {
    const counted = tally()
    const ticket = counted.open(0)
    ticket.headers(9000, false)
    ticket.settle('served')
    expect(counted.drain()).toMatchObject({ served: 1, late: 0, latencyUs: 0, latency: [] })
  })

  it('tells of its last byte where that is watched', ({ expect }) => {
    const counted = tally()
    const ticket = counted.open(0)
    ticket.headers(100, true)
    ticket.lastByte(700)
    ticket.settle('served')
    expect(counted.drain()).toMatchObject({
      latency: histogramOf([100]),
      lastByte: histogramOf([700]),
    })
  })

  it('throws when it is settled twice, and counts once', ({ expect }) => {
    const counted = tally()
    const ticket = counted.open(0)
    ticket.settle('failed')
    expect(() => ticket.settle('served')).toThrow('settled already')
    ticket.settleUnlessSettled('abandoned')
    expect(counted.drain()).toMatchObject({ served: 0, failed: 1, abandoned: 0 })
  })

  it('never tells of a time below zero, though clocks may jump back', ({ expect }) => {
    const counted = tally()
    const ticket = counted.open(5000)
    ticket.headers(4000, true)
    ticket.lastByte(4500)
    ticket.settle('served')
    expect(counted.drain()).toMatchObject({ latencyUs: 0, latency: [0, 1], lastByte: [0, 1] })
  })

  it('is in service from its opening to its headers, or to its end without them', ({ expect }) => {
    const counted = tally()
    const [first, second] = [counted.open(0), counted.open(0)]
    expect(counted.inFlight).toBe(2)
    first.headers(10, true)
    expect(counted.inFlight).toBe(1)
    first.settle('served')
    second.settle('abandoned')
    expect(counted.inFlight).toBe(0)
  })

  it('leaves service once, though its headers come after its end', ({ expect }) => {
    const counted = tally()
    const ticket = counted.open(0)
    ticket.settle('abandoned')
    ticket.headers(10, true)
    ticket.lastByte(20)
    expect(counted.drain()).toMatchObject({ inFlight: 0, abandoned: 1, latency: [], lastByte: [] })
  })

  it('is settled once and leaves service once, in whatever order its ends come', ({ expect }) => {
    const end = fc.constantFrom('headers', 'lastByte', 'served', 'failed', 'abandoned')
    const run = (ticket: RequestRecord, ends: readonly string[]): void => {
      for (const what of ends) {
        if (what === 'headers') ticket.headers(10, true)
        else if (what === 'lastByte') ticket.lastByte(20)
        else ticket.settleUnlessSettled(what as 'served' | 'failed' | 'abandoned')
      }
      ticket.settleUnlessSettled('abandoned')
    }
    fc.assert(
      fc.property(fc.array(fc.array(end, { maxLength: 6 }), { maxLength: 8 }), (requests) => {
        const counted = tally()
        for (const ends of requests) run(counted.open(0), ends)
        const { served, failed, abandoned, inFlight, latencyUs, latency } = counted.drain()
        expect(served + failed + abandoned).toBe(requests.length)
        expect(inFlight).toBe(0)
        expect(latencyUs).toBeGreaterThanOrEqual(0)
        expect(histogramTotal(latency)).toBeLessThanOrEqual(served)
      }),
    )
  })
})

describe('the tally of a class', () => {
  it('starts from nothing after each report, but for what is in service', ({ expect }) => {
    const counted = tally()
    counted.offered = 5
    counted.admitted = 4
    counted.guaranteed = 3
    counted.early = 2
    counted.wouldRefuse = 1
    const ticket = counted.open(0)
    expect(counted.drain()).toMatchObject({
      ...{ offered: 5, admitted: 4, guaranteed: 3, early: 2, wouldRefuse: 1 },
      ...{ requests: 1, inFlight: 1 },
    })
    expect(counted.drain()).toEqual({ ...NO_CLASS_FEEDBACK, inFlight: 1 })
    ticket.headers(100, true)
    ticket.settle('served')
    expect(counted.drain()).toMatchObject({ requests: 0, served: 1, inFlight: 0 })
    expect(counted.drain()).toEqual(NO_CLASS_FEEDBACK)
  })

  it('judges by the target in force when the headers come', ({ expect }) => {
    const counted = tally()
    const ticket = counted.open(0)
    counted.targetMs = 200
    ticket.headers(300, true)
    ticket.settle('served')
    expect(counted.drain().late).toBe(1)
  })
})

describe('the tally of a route', () => {
  it('reports each class by name, and the ages of its sessions’ requests', ({ expect }) => {
    const counted = new RouteCounters(['buyers', 'default'], 1000)
    counted.classes[0]!.offered = 2
    for (const ageMs of [0, 0, 60_000]) counted.sessionRequest(ageMs)
    expect(counted.drain()).toEqual({
      classes: { buyers: { ...NO_CLASS_FEEDBACK, offered: 2 }, default: NO_CLASS_FEEDBACK },
      ages: [0, 2, ageBucketOf(60_000), 1],
    })
    expect(counted.drain().ages).toEqual([])
  })

  it('is in service with all its classes', ({ expect }) => {
    const counted = new RouteCounters(['buyers', 'default'], 1000)
    counted.classes[0]!.open(0)
    const ticket = counted.classes[1]!.open(0)
    expect(counted.inFlight).toBe(2)
    ticket.settle('failed')
    expect(counted.inFlight).toBe(1)
  })
})
