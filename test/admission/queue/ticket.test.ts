import fc from 'fast-check'
import { describe, it } from 'vitest'
import { parseTicket, type Ticket, ticketText } from '../../../src/admission/queue/ticket.ts'
import { TicketCookies } from '../../../src/gate/waiting/ticket-cookie.ts'
import { Signer } from '../../../src/lib/signer.ts'
import { routeOf, SECRET } from '../../support/requests.ts'

const TICKET: Ticket = {
  ...{ id: 'AbC_9', className: 'default', keyS: 1_700_000_000.25, seenMs: 1_700_000_004_000 },
  ...{ nextMs: 1_700_000_009_000, slot: 425_000_003, placedMs: 1_700_000_004_000, place: 17 },
  ...{ promisedFromMs: 1_700_000_060_000, promisedToMs: 1_700_000_090_000 },
}

describe('a ticket', () => {
  it('is the same after it was written and read', ({ expect }) => {
    expect(parseTicket(ticketText(TICKET))).toEqual(TICKET)
    const odd = { ...TICKET, className: 'a.b é', placedMs: 0, promisedFromMs: 0, promisedToMs: 0 }
    expect(parseTicket(ticketText(odd))).toEqual(odd)
  })

  it('that is forged or altered in any way is no ticket', ({ expect }) => {
    const cookies = new TicketCookies(routeOf({}), new Signer({ current: SECRET, previous: null }))
    const signed = cookies.sign(TICKET)
    const nowMs = TICKET.nextMs
    expect(cookies.read(null, signed, true, nowMs)).toEqual(TICKET)
    const altered = fc
      .tuple(fc.nat(signed.length - 1), fc.constantFrom(...'0123456789abcdefXYZ_-.'))
      .map(([at, character]) => signed.slice(0, at) + character + signed.slice(at + 1))
    const forged = fc.oneof(
      altered,
      fc.string({ maxLength: 200 }),
      fc.stringMatching(/^1\.[a-z]{5}(\.[0-9a-z]{1,9}){8}\.default\.[A-Za-z0-9_-]{22}$/),
    )
    fc.assert(
      fc.property(forged, (text) => {
        if (text !== signed) expect(cookies.read(null, text, true, nowMs)).toBeNull()
      }),
      { numRuns: 10_000 },
    )
  })
})
