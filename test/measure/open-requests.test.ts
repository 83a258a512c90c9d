import fc from 'fast-check'
import { describe, it } from 'vitest'
import { ClassCounters } from '../../src/measure/counters.ts'
import { Fresh, OpenRequests } from '../../src/measure/open-requests.ts'
import type { RequestRecord } from '../../src/measure/request-record.ts'

const TIMEOUT_MS = 30_000

const requestOf = ({ signal }: AbortController): Request =>
  new Request('https://shop.example.com/', { signal })

function given() {
  const tally = new ClassCounters(1000)
  const open = new OpenRequests(TIMEOUT_MS)
  const lasting = (nowMs: number): RequestRecord => {
    const ticket = tally.open(nowMs)
    open.addLasting(ticket)
    return ticket
  }
  /** It lasts as soon as it is told so, if its client is still there. */
  const fresh = (nowMs: number, answer = new Promise<string>(() => {})) => {
    const client = new AbortController()
    const left = new Fresh(requestOf(client), tally.open(nowMs), nowMs)
    open.addFresh(left)
    return { ticket: left.ticket!, left, client, first: left.unlessItLasts(answer) }
  }
  const isTold = ({ left }: ReturnType<typeof fresh>): boolean => !Number.isNaN(left.toldAtMs)
  return { tally, open, fresh, lasting, isTold }
}

describe('requests that are left to themselves', () => {
  it('are told by the first sweep after half a second that they last', async ({ expect }) => {
    const { open, fresh, isTold } = given()
    const request = fresh(0)
    open.sweep(499)
    expect(isTold(request)).toBe(false)
    open.sweep(500)
    expect(await request.first).toBe(null)
    expect(request.ticket.isSettled).toBe(false)
  })

  it('have the answer where that comes first', async ({ expect }) => {
    const { open, fresh } = given()
    const request = fresh(0, Promise.resolve('the answer'))
    expect(await request.first).toBe('the answer')
    open.deleteFresh(request.left)
    open.sweep(10_000)
    expect(request.ticket.isSettled).toBe(false)
    expect(open.hasFresh).toBe(false)
  })

  it('fail as the origin does', async ({ expect }) => {
    const failure = new Error('no way to the origin')
    await expect(given().fresh(0, Promise.reject(failure)).first).rejects.toBe(failure)
  })

  it('are abandoned without a word where the client has left', ({ expect }) => {
    const { tally, open, fresh, isTold } = given()
    const swept = fresh(0)
    swept.client.abort()
    open.sweep(500)
    const last = fresh(600)
    last.client.abort()
    open.tellAll(600)
    for (const request of [swept, last]) {
      expect(isTold(request)).toBe(false)
      expect(request.ticket.isSettled).toBe(true)
    }
    expect(open.hasFresh).toBe(false)
    expect(tally.drain()).toMatchObject({ requests: 2, abandoned: 2, inFlight: 0 })
  })

  it('have died where they were told, and nothing came of it', ({ expect }) => {
    const { tally, open, fresh } = given()
    const { ticket } = fresh(0)
    open.sweep(600)
    open.sweep(1099)
    expect(ticket.isSettled).toBe(false)
    open.sweep(1100)
    expect(ticket.isSettled).toBe(true)
    expect(open.hasFresh).toBe(false)
    expect(tally.drain()).toMatchObject({ requests: 1, abandoned: 1, inFlight: 0 })
  })

  it('are swept up to the first that is young enough', ({ expect }) => {
    const { open, fresh, isTold } = given()
    const requests = [0, 500, 1500, 2501].map((atMs) => fresh(atMs))
    open.sweep(3000)
    expect(requests.map(isTold)).toEqual([true, true, true, false])
    open.sweep(3500)
    expect(requests.map(({ ticket }) => ticket.isSettled)).toEqual([true, true, true, false])
  })

  it('are all told where no sweep may come for a while, each once', async ({ expect }) => {
    const { open, fresh } = given()
    const requests = [0, 10].map((atMs) => fresh(atMs))
    open.tellAll(20)
    open.tellAll(400)
    for (const { left, first } of requests) {
      expect(await first).toBe(null)
      expect(left.toldAtMs).toBe(20)
    }
  })

  it('are no longer held once they have left, and may leave twice', ({ expect }) => {
    const { open, fresh } = given()
    const { left, client } = fresh(0)
    open.deleteFresh(left)
    open.deleteFresh(left)
    client.abort()
    expect(left.isClientGone).toBe(false)
    expect(open.hasFresh).toBe(false)
  })

  it('may leave in any order: those that stay are told, and nobody else', ({ expect }) => {
    const leaving = fc.array(fc.nat({ max: 9 }), { maxLength: 15 })
    fc.assert(
      fc.property(leaving, leaving, (early, late) => {
        const { open, fresh, isTold } = given()
        const requests = Array.from({ length: 5 }, (_, i) => fresh(i))
        const leave = (i: number): void => {
          const request = requests[i]
          if (request) open.deleteFresh(request.left)
        }
        early.forEach(leave)
        requests.push(...Array.from({ length: 5 }, (_, i) => fresh(10 + i)))
        late.forEach(leave)
        const gone = new Set([...early.filter((i) => i < 5), ...late])
        expect(open.hasFresh).toBe(gone.size < requests.length)
        open.sweep(600)
        expect(requests.map(isTold)).toEqual(requests.map((_, i) => !gone.has(i)))
      }),
    )
  })

  it('may be requests that are not counted', ({ expect }) => {
    const { open } = given()
    open.addFresh(new Fresh(requestOf(new AbortController()), null, 0))
    open.sweep(500)
    open.sweep(1000)
    expect(open.hasFresh).toBe(false)
  })
})

describe('requests that somebody waits for', () => {
  it('are abandoned 90 s after their time-out', ({ expect }) => {
    const { tally, open, lasting } = given()
    const ticket = lasting(0)
    expect(open.hasFresh).toBe(false)
    open.sweep(TIMEOUT_MS + 89_999)
    expect(ticket.isSettled).toBe(false)
    open.sweep(TIMEOUT_MS + 90_000)
    expect(tally.drain()).toMatchObject({ abandoned: 1, inFlight: 0 })
  })

  it('are left alone once they are settled', ({ expect }) => {
    const { tally, open, lasting } = given()
    const ticket = lasting(0)
    ticket.headers(10, true)
    ticket.settle('served')
    open.deleteLasting(ticket)
    open.sweep(1_000_000)
    expect(tally.drain()).toMatchObject({ served: 1, abandoned: 0, inFlight: 0 })
  })
})
