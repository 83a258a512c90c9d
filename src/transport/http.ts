import { Signer } from '../lib/signer.ts'
import type { CoordinatorPort, ReportAnswer } from '../protocol/coordinator-port.ts'
import type { Feedback } from '../protocol/feedback.ts'
import { readFeedback } from '../protocol/read-feedback.ts'

/** The path at which a Tidegate Worker takes the reports of edges on other platforms. */
export const REPORT_PATH = '/_tidegate/report'

const SIGNATURE = 'Tidegate-Signature'
const TIME = 'Tidegate-Time'
/** Signs time and length, so that a forged report is refused before its body is read. */
const HEAD = 'Tidegate-Head'
/** Relays know a sender for 30 s, and drop a copy by its number. An older message is refused, so no copy is used. */
const OLDEST_MS = 20_000
/** The sender's clock may be ahead by this much. */
const FURTHEST_AHEAD_MS = 5_000
const LARGEST_BYTES = 65_536
/** A report of the largest size takes much less. */
const READ_TIMEOUT_MS = 5_000
/**
 * The relay of all reports over HTTP. A copy that is sent to another data centre comes to the same relay, which knows
 * the number of the report. Data centres have other names.
 */
export const HTTP_RELAY = 'http'

interface HttpCoordinatorOptions {
  /** Scheme and host of the Worker that runs the coordinator. */
  readonly url: string
  /** Its `TIDEGATE_SECRET`. */
  readonly secret: string
  readonly now?: () => number
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>
}

/** The coordinator over HTTP, for edges on platforms without Durable Objects. Report and answer are signed. */
export function httpCoordinator(options: HttpCoordinatorOptions): CoordinatorPort {
  const { now = Date.now, fetch: send = fetch } = options
  const signer = new Signer({ current: options.secret, previous: null })
  const url = new URL(REPORT_PATH, options.url).href
  return {
    async report(feedback) {
      const body = JSON.stringify(feedback)
      const time = String(now())
      const response = await send(url, {
        method: 'POST',
        body,
        headers: {
          'Content-Type': 'application/json',
          [TIME]: time,
          [HEAD]: signer.sign('report head', headText(time, byteLength(body))),
          [SIGNATURE]: signer.sign('report', `${time}\n${body}`),
        },
      })
      if (!response.ok) throw new Error(`The coordinator answered ${response.status}`)
      const text = await response.text()
      const signatures = response.headers.get(SIGNATURE)?.split(',') ?? []
      if (!signatures.some((one) => signer.verify('answer', `${time}\n${text}`, one)))
        throw new Error("The coordinator's answer is not signed with our secret")
      return JSON.parse(text) as ReportAnswer
    },
  }
}

/** When a report was signed. Only `readSignedReport` says whether that is true. */
export const signedAtMs = (request: Request): number => Number(request.headers.get(TIME))

/** The Worker's side. null: the request is not a recent report signed with our secret. */
export async function readSignedReport(
  request: Request,
  signer: Signer,
  nowMs: number,
  timeoutMs = READ_TIMEOUT_MS,
): Promise<Feedback | null> {
  const time = request.headers.get(TIME) ?? ''
  const signature = request.headers.get(SIGNATURE) ?? ''
  const length = Number(request.headers.get('Content-Length') ?? Number.NaN)
  if (request.method !== 'POST' || !isFresh(Number(time || Number.NaN), nowMs)) return null
  if (!(length <= LARGEST_BYTES)) return null
  const head = request.headers.get(HEAD) ?? ''
  if (!signer.verify('report head', headText(time, length), head)) return null
  const body = await readBody(request, timeoutMs)
  if (body === null || !signer.verify('report', `${time}\n${body}`, signature)) return null
  try {
    const feedback: unknown = JSON.parse(body)
    return readFeedback(feedback)
  } catch {
    return null
  }
}

function isFresh(sentAtMs: number, nowMs: number): boolean {
  return nowMs - sentAtMs < OLDEST_MS && sentAtMs - nowMs < FURTHEST_AHEAD_MS
}

const headText = (time: string, bytes: number): string => `${time}\n${bytes}`

const byteLength = (text: string): number => new TextEncoder().encode(text).length

/** null: the body did not come in time, or not completely. */
async function readBody(request: Request, timeoutMs: number): Promise<string | null> {
  let timer: ReturnType<typeof setTimeout> | null = null
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, timeoutMs, null)
  })
  try {
    return await Promise.race([request.text().catch(() => null), late])
  } finally {
    if (timer !== null) clearTimeout(timer)
  }
}

export function signedAnswer(request: Request, answer: ReportAnswer, signer: Signer): Response {
  const text = JSON.stringify(answer)
  const time = request.headers.get(TIME) ?? ''
  return new Response(text, {
    headers: {
      'Content-Type': 'application/json',
      'Cache-Control': 'no-store',
      // The edge may still have the previous secret.
      [SIGNATURE]: signer.signWithAll('answer', `${time}\n${text}`).join(','),
    },
  })
}
