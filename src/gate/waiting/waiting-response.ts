import type { Waiting } from '../../admission/queue/waiting.ts'
import type { Route } from '../../config/config.ts'
import { QUEUE_TEXTS, type QueueReason, type Verdict, verdictText } from '../../protocol/verdict.ts'
import { languageOf, prefersHtml } from '../../request/accept.ts'
import { allowOrigin } from '../cors.ts'
import { REASONS_PATH } from '../reasons-page.ts'
import { cfWaitingRoom } from './cf-waiting-room.ts'
import { filled, WAITING_PAGE } from './page.ts'
import { pageValues } from './page-values.ts'
import { WAITING_LANGUAGES, type WaitingLanguage } from './texts.ts'
import { TICKET_HEADER } from './ticket-cookie.ts'

/** Tells a script of the waiting page that the answer is the waiting page. */
export const WAITING_HEADER = 'Tidegate-Waiting'

/** A script of the waiting page asks whether it is its turn. */
export const POLL_HEADER = 'Tidegate-Poll'

export interface WaitingVisit {
  readonly request: Request
  readonly verdict: Extract<Verdict, { readonly kind: 'queue' }>
  readonly className: string | null
  readonly waiting: Waiting
  readonly signedTicket: string
  readonly cookie: string
  readonly opensMs: number | null
  readonly nowMs: number
}

/** The answers to visitors who wait: a page for browsers, a problem document for programs. */
export class WaitingResponses {
  readonly #route: Route

  constructor(route: Route) {
    this.#route = route
  }

  answer(visit: WaitingVisit): Response {
    const { request, verdict, className, waiting, signedTicket, cookie } = visit
    const { name, verdictHeader, waitingRoom } = this.#route
    const isPage = prefersHtml(request.headers.get('Accept'))
    const retryAfterS = Math.max(1, Math.ceil(waiting.refreshMs / 1000))
    const headers = new Headers({
      'Content-Type': isPage ? 'text/html; charset=utf-8' : 'application/problem+json',
      'Cache-Control': 'no-store',
      'Retry-After': String(retryAfterS),
      'X-Robots-Tag': 'noindex',
      Vary: 'Accept, Accept-Language, Cookie',
      [TICKET_HEADER]: signedTicket,
      [WAITING_HEADER]: waiting.place === null ? '?' : String(waiting.place),
      'Set-Cookie': cookie,
    })
    if (verdictHeader) headers.set('Tidegate-Verdict', verdictText(verdict, name, className))
    allowOrigin(headers, request, this.#route.refusal.allowOrigins)
    const { method } = request
    const isForm = method !== 'GET' && method !== 'HEAD'
    const body = isPage
      ? this.#page(visit, isForm, headers, retryAfterS)
      : this.#problem(visit, retryAfterS)
    return new Response(method === 'HEAD' ? null : body, { status: waitingRoom.status, headers })
  }

  #page(
    { request, waiting, opensMs, nowMs }: WaitingVisit,
    isForm: boolean,
    headers: Headers,
    retryAfterS: number,
  ): string {
    const { waitingRoom, granularity } = this.#route
    const language = (languageOf(request.headers.get('Accept-Language'), WAITING_LANGUAGES) ??
      'en') as WaitingLanguage
    headers.set('Content-Language', language)
    const template = waitingRoom.page ?? WAITING_PAGE
    if (waitingRoom.page !== null && !isForm && !REFRESHES_ITSELF.test(template))
      headers.set('Refresh', String(retryAfterS))
    const texts = waitingRoom.texts[language] ?? {}
    const canPoll = granularity === 'session'
    return filled(
      template,
      pageValues(waiting, {
        ...{ language, texts, isForm, canPoll, opensMs, nowMs },
        turnstile: waitingRoom.turnstile,
      }),
    )
  }

  /** RFC 9457. */
  #problem(visit: WaitingVisit, retryAfterS: number): string {
    const { verdict, className, waiting, signedTicket } = visit
    const { name, waitingRoom } = this.#route
    const { place, range } = waiting
    const reason: QueueReason = verdict.reason
    return JSON.stringify({
      type: `${REASONS_PATH}#${reason}`,
      title: 'Waiting',
      status: waitingRoom.status,
      detail: `${QUEUE_TEXTS[reason]} Ask again in ${retryAfterS} seconds, with the ticket.`,
      ...{ reason, route: name, class: className },
      position: place,
      estimatedWaitS: { from: range.fromS, to: range.toS },
      ...(waitingRoom.turnstile && place === null
        ? { turnstileSiteKey: waitingRoom.turnstile.siteKey }
        : {}),
      ...{ retryAfterS, retryAfter: retryAfterS, ticket: signedTicket },
      ...(waitingRoom.cfWaitingRoom
        ? { cfWaitingRoom: cfWaitingRoom(visit, retryAfterS, waitingRoom.order) }
        : {}),
    })
  }
}

/** A custom page may lack this tag. Then the `Refresh` header makes browsers try again. */
const REFRESHES_ITSELF = /http-equiv\s*=\s*["']?refresh\b|\{\{noscript\}\}/i
