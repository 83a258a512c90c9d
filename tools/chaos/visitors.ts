import { Agent, type IncomingMessage, request } from 'node:http'
import { type Coin, exponential } from '../random.ts'

const NEW_PER_SECOND = 25
const PAGES = 4
const THINK_MS = 700
const PATIENCE_MS = 10_000

interface Page {
  readonly status: number
  readonly verdict: string
  readonly cookies: string
}

export interface VisitorCounts {
  /** Requests that were sent. */
  sent: number
  /** Answers with all of their body, by status. */
  readonly answers: Record<string, number>
  /** Connections that broke, or answers that broke off. */
  broken: number
  admittedSessions: number
  /** Requests of admitted sessions that were refused. None may be. */
  readonly refusedSessions: string[]
  /** Answers of the gate that are neither a page, nor a refusal, nor a failure of the origin. */
  readonly strange: string[]
}

/** A small flood: new visitors at random times. Each who is admitted asks for more pages, with the session. */
export class Visitors {
  readonly counts: VisitorCounts = {
    ...{ sent: 0, answers: {}, broken: 0, admittedSessions: 0, refusedSessions: [], strange: [] },
  }
  readonly #coin: Coin
  readonly #target: () => string
  readonly #isOriginFaulty: () => boolean
  readonly #agent = new Agent({ keepAlive: true })
  readonly #visits = new Set<Promise<void>>()
  #timer: NodeJS.Timeout | undefined
  #inFlight = 0
  #isOver = false

  constructor(coin: Coin, target: () => string, isOriginFaulty: () => boolean) {
    this.#coin = coin
    this.#target = target
    this.#isOriginFaulty = isOriginFaulty
    this.#next()
  }

  get inFlight(): number {
    return this.#inFlight
  }

  /** No more visitors come. Resolves when the last one has gone. */
  async stop(): Promise<void> {
    this.#isOver = true
    clearTimeout(this.#timer)
    await Promise.all(this.#visits)
    this.#agent.destroy()
  }

  #next(): void {
    const waitMs = exponential(1000 / NEW_PER_SECOND, this.#coin)
    this.#timer = setTimeout(() => {
      const visit = this.#visit().finally(() => this.#visits.delete(visit))
      this.#visits.add(visit)
      this.#next()
    }, waitMs)
  }

  async #visit(): Promise<void> {
    let session = ''
    for (let i = 0; i < PAGES && (i === 0 || !this.#isOver); i++) {
      if (i > 0) await sleep(exponential(THINK_MS, this.#coin))
      const page = await this.#ask(session)
      if (page === null) continue
      const isRefused = page.verdict.startsWith('refuse')
      if (isRefused && session !== '') this.counts.refusedSessions.push(page.verdict)
      if (isRefused) return
      if (session === '' && page.cookies !== '') this.counts.admittedSessions++
      session ||= page.cookies
    }
  }

  async #ask(session: string): Promise<Page | null> {
    this.counts.sent++
    this.#inFlight++
    const wasFaulty = this.#isOriginFaulty()
    try {
      const page = await get(this.#target(), session, this.#agent)
      const { answers } = this.counts
      answers[page.status] = (answers[page.status] ?? 0) + 1
      const isFaulty = wasFaulty || this.#isOriginFaulty()
      if (!isKnown(page, isFaulty)) this.counts.strange.push(`${page.status} "${page.verdict}"`)
      return page
    } catch {
      this.counts.broken++
      return null
    } finally {
      this.#inFlight--
    }
  }
}

/** A 502 or 504 is the origin's failure, and only then. */
function isKnown({ status, verdict }: Page, isOriginFaulty: boolean): boolean {
  if (status === 200) return verdict.startsWith('admit')
  if (status === 503) return verdict.startsWith('refuse')
  return (status === 502 || status === 504) && isOriginFaulty
}

function get(url: string, cookies: string, agent: Agent): Promise<Page> {
  const { promise, resolve, reject } = Promise.withResolvers<Page>()
  const headers = cookies === '' ? {} : { Cookie: cookies }
  const asking = request(`${url}/page`, { agent, headers, timeout: PATIENCE_MS })
  asking.on('timeout', () => asking.destroy(new Error('no answer')))
  asking.on('error', reject)
  asking.on('response', (response: IncomingMessage) => {
    response.on('error', reject)
    response.on('end', () =>
      resolve({
        status: response.statusCode ?? 0,
        verdict: String(response.headers['tidegate-verdict'] ?? ''),
        cookies: (response.headers['set-cookie'] ?? [])
          .map((one) => one.split(';', 1)[0])
          .join('; '),
      }),
    )
    response.resume()
  })
  asking.end()
  return promise
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
