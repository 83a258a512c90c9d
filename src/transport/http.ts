import { Signer } from '../lib/signer.ts'
import type { CoordinatorPort, ReportAnswer } from '../protocol/coordinator-port.ts'
import type { Feedback } from '../protocol/feedback.ts'
import { isFeedback } from '../protocol/feedback-schema.ts'

/** The path at which a Tidegate Worker takes the reports of edges on other platforms. */
export const REPORT_PATH = '/_tidegate/report'

const SIGNATURE = 'Tidegate-Signature'
const TIME = 'Tidegate-Time'
/** Older messages are refused, against replay. A newer copy is dropped by the report's number. */
const OLDEST_MS = 60_000
const LARGEST_BYTES = 1_000_000

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

/** The Worker's side. null: the request is not a recent report signed with our secret. */
export async function readSignedReport(
  request: Request,
  signer: Signer,
  nowMs: number,
): Promise<Feedback | null> {
  const time = request.headers.get(TIME) ?? ''
  const signature = request.headers.get(SIGNATURE) ?? ''
  if (request.method !== 'POST' || !(Math.abs(nowMs - Number(time || Number.NaN)) < OLDEST_MS))
    return null
  if (Number(request.headers.get('Content-Length') ?? LARGEST_BYTES + 1) > LARGEST_BYTES)
    return null
  const body = await request.text()
  if (!signer.verify('report', `${time}\n${body}`, signature)) return null
  try {
    const feedback: unknown = JSON.parse(body)
    return isFeedback(feedback) ? feedback : null
  } catch {
    return null
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
