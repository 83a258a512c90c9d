import { describe, it } from 'vitest'
import { OpenTickets } from '../../src/edge/open-tickets.ts'
import { ClassTally, type Ticket } from '../../src/edge/tallies.ts'

const TIMEOUT_MS = 30_000

function given() {
  const tally = new ClassTally(1000)
  const open = new OpenTickets(TIMEOUT_MS)
  const fresh = (nowMs: number): Ticket => {
    const ticket = tally.open(nowMs)
    open.addFresh(ticket)
    return ticket
  }
  const lasting = (nowMs: number): Ticket => {
    const ticket = fresh(nowMs)
    open.addLasting(ticket)
    return ticket
  }
  return { tally, open, fresh, lasting }
}

describe('tickets of requests under way', () => {
  it('are abandoned after 2 s where nobody has said that they last', ({ expect }) => {
    const { tally, open, fresh } = given()
    const ticket = fresh(0)
    open.sweep(1999)
    expect(ticket.isSettled).toBe(false)
    open.sweep(2000)
    expect(ticket.isSettled).toBe(true)
    expect(open.hasFresh).toBe(false)
    expect(tally.drain()).toMatchObject({ requests: 1, abandoned: 1, inService: 0 })
  })

  it('are abandoned 90 s after their time-out where somebody has', ({ expect }) => {
    const { tally, open, lasting } = given()
    const ticket = lasting(0)
    expect(open.hasFresh).toBe(false)
    open.sweep(TIMEOUT_MS + 89_999)
    expect(ticket.isSettled).toBe(false)
    open.sweep(TIMEOUT_MS + 90_000)
    expect(tally.drain()).toMatchObject({ abandoned: 1, inService: 0 })
  })

  it('are left alone once they are settled', ({ expect }) => {
    const { tally, open, fresh, lasting } = given()
    for (const ticket of [fresh(0), lasting(0)]) {
      ticket.headers(10, true)
      ticket.settle('served')
      open.delete(ticket)
    }
    open.sweep(1_000_000)
    expect(tally.drain()).toMatchObject({ served: 2, abandoned: 0, inService: 0 })
  })

  it('are swept up to the first that is young enough', ({ expect }) => {
    const { open, fresh } = given()
    const tickets = [0, 500, 1500, 2500].map(fresh)
    open.sweep(3000)
    expect(tickets.map(({ isSettled }) => isSettled)).toEqual([true, true, false, false])
    expect(open.hasFresh).toBe(true)
  })
})
