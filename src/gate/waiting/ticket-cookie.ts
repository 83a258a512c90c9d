import { parseTicket, type Ticket, ticketText } from '../../admission/queue/ticket.ts'
import type { Route } from '../../config/config.ts'
import type { Signer } from '../../lib/signer.ts'
import { SignedCookie } from '../signed-cookie.ts'

/** For clients without cookies: a ticket in requests and answers, and after it the session. */
export const TICKET_HEADER = 'Tidegate-Ticket'

/** The signed tickets of one route, in a cookie or in a header. */
export class TicketCookies {
  readonly #keepPlaceMs: number
  readonly #classNames: ReadonlySet<string>
  readonly #cookie: SignedCookie<Ticket>

  constructor({ name, session, waitingRoom, classes }: Route, signer: Signer) {
    this.#keepPlaceMs = waitingRoom.keepPlaceMs
    this.#classNames = new Set(classes.map((one) => one.name))
    this.#cookie = new SignedCookie(
      {
        name: `${session.cookie}-ticket`,
        purpose: `ticket ${name}`,
        sameSite: session.sameSite,
        longestValue: 400,
        // A ticket changes with each refresh, so hardly any is seen twice.
        mostRemembered: 64,
        parse: parseTicket,
      },
      signer,
    )
  }

  /** The valid ticket of a request. Forged, expired and foreign ones are ignored. */
  read(
    cookies: string | null,
    header: string | null,
    secure: boolean,
    nowMs: number,
  ): Ticket | null {
    const isCurrent = ({ className, seenMs, nextMs }: Ticket): boolean =>
      nowMs < Math.max(seenMs, nextMs) + this.#keepPlaceMs && this.#classNames.has(className)
    if (header !== null) {
      const given = this.#cookie.verify(header, isCurrent)
      if (given !== null) return given
    }
    return this.#cookie.read(cookies, secure, isCurrent)
  }

  sign(ticket: Ticket): string {
    return this.#cookie.sign(ticketText(ticket))
  }

  /** `Set-Cookie` for a ticket that waits. */
  write(signed: string, { seenMs, nextMs }: Ticket, secure: boolean): string {
    const ageS = Math.ceil((nextMs - seenMs + this.#keepPlaceMs) / 1000)
    return this.#cookie.write(signed, ageS, secure)
  }

  /** `Set-Cookie` for a visitor who has entered. */
  end(secure: boolean): string {
    return this.#cookie.write('', 0, secure)
  }
}
