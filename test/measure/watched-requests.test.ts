import { describe, it } from 'vitest'
import { ClassCounters } from '../../src/measure/counters.ts'
import { OpenRequests } from '../../src/measure/in-flight-request.ts'

/** A request that the sweeps watch, and its client. */
function watchedAt(nowMs: number, open = new OpenRequests(30_000)) {
  const counters = new ClassCounters(1000)
  const request = open.begin(counters, nowMs)
  const client = { isGone: false }
  let isHandedOver = false
  void request
    .watched(() => client.isGone)
    .then(() => {
      isHandedOver = true
    })
  const handedOver = async (): Promise<boolean> => {
    await Promise.resolve()
    return isHandedOver
  }
  return { open, counters, request, client, handedOver }
}

describe('a young request, which has no timer and no listener', () => {
  it('is handed over by the first sweep after half a second', async ({ expect }) => {
    const { open, handedOver } = watchedAt(0)
    open.sweep(499)
    expect(await handedOver()).toBe(false)
    open.sweep(500)
    expect(await handedOver()).toBe(true)
    expect(open.size).toBe(1)
  })

  it('is settled as abandoned by any sweep after its client has left', async ({ expect }) => {
    const { open, counters, client, handedOver } = watchedAt(0)
    client.isGone = true
    open.sweep(100)
    expect(await handedOver()).toBe(false)
    expect(open.size).toBe(0)
    expect(counters.drain()).toMatchObject({ requests: 1, abandoned: 1, inFlight: 0 })
  })

  it('is handed over at once if there may be no sweep for a while', async ({ expect }) => {
    const { open, handedOver } = watchedAt(0)
    open.handOverAll(10)
    expect(await handedOver()).toBe(true)
  })

  it('is left alone once it is answered', async ({ expect }) => {
    const { open, counters, request, client, handedOver } = watchedAt(0)
    request.headersReceived(50, true)
    request.settle('served')
    client.isGone = true
    open.sweep(1000)
    expect(await handedOver()).toBe(false)
    expect(counters.drain()).toMatchObject({ served: 1, abandoned: 0 })
  })
})

describe('a request that was handed over', () => {
  it('is settled as abandoned if it does not take over within half a second', ({ expect }) => {
    const { open } = watchedAt(0)
    open.sweep(600)
    open.sweep(1099)
    expect(open.size).toBe(1)
    open.sweep(1100)
    expect(open.size).toBe(0)
  })

  it('is left alone once it watches itself', ({ expect }) => {
    const { open, request, client } = watchedAt(0)
    open.sweep(600)
    request.unwatch()
    client.isGone = true
    open.sweep(20_000)
    expect(open.size).toBe(1)
  })
})

describe('a sweep', () => {
  it('hands over the older requests and leaves the young ones', async ({ expect }) => {
    const open = new OpenRequests(30_000)
    const requests = [0, 500, 1500, 2501].map((atMs) => watchedAt(atMs, open))
    open.sweep(3000)
    const handed = await Promise.all(requests.map(({ handedOver }) => handedOver()))
    expect(handed).toEqual([true, true, true, false])
  })
})

describe('a request whose client leaves', () => {
  const ignoredOf = (leftAtMs?: number) => {
    const counters = new ClassCounters(1000)
    const request = new OpenRequests(30_000).begin(counters, 0)
    request.settle('abandoned', leftAtMs)
    const { abandoned, ignored, late, failed } = counters.drain()
    return { abandoned, ignored, late, failed }
  }

  it('teaches nothing within the target, because it has not waited for a slow origin', ({
    expect,
  }) => {
    const nothing = { abandoned: 1, ignored: 1, late: 0, failed: 0 }
    expect(ignoredOf(1000)).toEqual(nothing)
    expect(ignoredOf()).toEqual(nothing)
  })

  it('is not ignored after the target', ({ expect }) => {
    expect(ignoredOf(1001)).toEqual({ abandoned: 1, ignored: 0, late: 0, failed: 0 })
  })
})
