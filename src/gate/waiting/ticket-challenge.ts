import { hasPlace } from '../../admission/queue/ticket.ts'
import type { Candidate } from '../../admission/route-admission.ts'
import type { TurnstileRules } from '../../config/config.ts'
import type { ChallengePort } from '../../protocol/challenge-port.ts'
import type { RequestView } from '../../request/request-view.ts'

/** The waiting page sends the token of its challenge. */
export const CHALLENGE_HEADER = 'Tidegate-Challenge'

/** More verifications at once are not begun. Their visitors try again with the next refresh. */
const MOST_OPEN = 100

const MISSING = { isEnough: false, isUnverified: false } as const

/** The challenge of one route: a new ticket gets a place only after its token was verified. Known sessions never come here. */
export class TicketChallenge {
  readonly #whenDown: TurnstileRules['whenDown']
  readonly #port: ChallengePort
  #open = 0

  constructor({ whenDown }: TurnstileRules, port: ChallengePort) {
    this.#whenDown = whenDown
    this.#port = port
  }

  /** The candidate with what it has proved. Only a token of a ticket without a place is verified. */
  prove(candidate: Candidate, view: RequestView): Candidate | Promise<Candidate> {
    const { ticket } = candidate
    if (!ticket || hasPlace(ticket)) return candidate
    const token = view.headers.get(CHALLENGE_HEADER)
    if (!token || this.#open >= MOST_OPEN) return { ...candidate, proof: MISSING }
    return this.#verify(candidate, token, view.ip)
  }

  async #verify(candidate: Candidate, token: string, ip: string | null): Promise<Candidate> {
    this.#open++
    try {
      const outcome = await this.#port.verify(token, ip)
      const isUnverified = outcome === 'down'
      const isEnough = outcome === 'passed' || (isUnverified && this.#whenDown === 'place')
      return { ...candidate, proof: { isEnough, isUnverified } }
    } finally {
      this.#open--
    }
  }
}
