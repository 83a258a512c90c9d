import { describe, it } from 'vitest'
import { Signer } from '../../src/lib/signer.ts'
import type { ReportAnswer } from '../../src/protocol/coordinator-port.ts'
import type { Feedback } from '../../src/protocol/feedback.ts'
import { httpCoordinator, readSignedReport, signedAnswer } from '../../src/transport/http.ts'
import { feedbackOf, setupOf } from '../support/feedback.ts'
import { OLDER_SECRET, planOf, SECRET } from '../support/requests.ts'

const NOW = 1_800_000_000_000
const ANSWER: ReportAnswer = { plan: planOf(), share: 0.25 }
const FEEDBACK = feedbackOf({ shop: { default: { offered: 3 } } }, { setup: setupOf() })

type Secrets = ConstructorParameters<typeof Signer>[0]
const SECRETS: Secrets = { current: SECRET, previous: null }

/** A Worker that takes signed reports. `meddle` may change requests and answers between the two. */
function coordinator({
  secrets = SECRETS,
  meddle = (request: Request) => request,
  nowMs = NOW,
} = {}) {
  const taken: Feedback[] = []
  const urls: string[] = []
  const send = async (url: string, init: RequestInit): Promise<Response> => {
    urls.push(url)
    const headers = new Headers(init.headers)
    headers.set('Content-Length', String(new TextEncoder().encode(init.body as string).length))
    const request = meddle(new Request(url, { ...init, headers }))
    const signer = new Signer(secrets)
    const feedback = await readSignedReport(request, signer, nowMs)
    if (feedback === null) return new Response('no', { status: 401 })
    taken.push(feedback)
    return signedAnswer(request, ANSWER, signer)
  }
  return { taken, urls, send }
}

const portTo = (send: (url: string, init: RequestInit) => Promise<Response>, secret = SECRET) =>
  httpCoordinator({ url: 'https://gate.example.com', secret, now: () => NOW, fetch: send })

/** The same request with another body or header. */
const changed = (request: Request, change: { body?: string; headers?: Record<string, string> }) => {
  const headers = new Headers(request.headers)
  for (const [name, value] of Object.entries(change.headers ?? {})) headers.set(name, value)
  const body = change.body ?? request.body
  return new Request(request.url, { method: 'POST', headers, body, duplex: 'half' } as RequestInit)
}

describe('the coordinator over HTTP', () => {
  it('takes a signed report and gives a signed answer', async ({ expect }) => {
    const { taken, urls, send } = coordinator()
    expect(await portTo(send).report(FEEDBACK)).toEqual(ANSWER)
    expect(taken).toEqual([FEEDBACK])
    expect(urls).toEqual(['https://gate.example.com/_tidegate/report'])
  })

  it('refuses a report signed with another secret, or not at all', async ({ expect }) => {
    const { taken, send } = coordinator()
    await expect(portTo(send, 'not the secret').report(FEEDBACK)).rejects.toThrow('401')
    const unsigned = coordinator({
      meddle: (request) => changed(request, { headers: { 'Tidegate-Signature': '' } }),
    })
    await expect(portTo(unsigned.send).report(FEEDBACK)).rejects.toThrow('401')
    expect([...taken, ...unsigned.taken]).toEqual([])
  })

  it('refuses a report that was changed', async ({ expect }) => {
    const body = JSON.stringify({ ...FEEDBACK, seq: 99 })
    const { send } = coordinator({ meddle: (request) => changed(request, { body }) })
    await expect(portTo(send).report(FEEDBACK)).rejects.toThrow('401')
  })

  it('refuses a report of another time, or with a changed time', async ({ expect }) => {
    for (const ms of [20_000, -5_000]) {
      const { send } = coordinator({ nowMs: NOW + ms })
      await expect(portTo(send).report(FEEDBACK), `${ms}`).rejects.toThrow('401')
    }
    const late = { headers: { 'Tidegate-Time': String(NOW + 3_600_000) } }
    const meddled = coordinator({ meddle: (r) => changed(r, late), nowMs: NOW + 3_600_000 })
    await expect(portTo(meddled.send).report(FEEDBACK)).rejects.toThrow('401')
    expect(await portTo(coordinator({ nowMs: NOW + 19_999 }).send).report(FEEDBACK)).toEqual(ANSWER)
  })

  it('refuses a signed message that is not a report, too large, or of unknown length', async ({
    expect,
  }) => {
    const signer = new Signer(SECRETS)
    const read = (body: string, length: string | null = String(body.length)) => {
      const headers = new Headers({
        'Tidegate-Head': signer.sign('report head', `${NOW}\n${Number(length ?? Number.NaN)}`),
        'Tidegate-Time': String(NOW),
        'Tidegate-Signature': signer.sign('report', `${NOW}\n${body}`),
      })
      if (length !== null) headers.set('Content-Length', length)
      const request = new Request('https://gate.example.com', { method: 'POST', headers, body })
      return readSignedReport(request, signer, NOW)
    }
    const good = JSON.stringify(FEEDBACK)
    expect(await read(good)).toEqual(FEEDBACK)
    for (const body of ['not JSON', 'null', '5', '{}', '[]', '{"origin":"origin"}'])
      expect(await read(body), body).toBeNull()
    expect(await read(good, '65537')).toBeNull()
    expect(await read(good, null)).toBeNull()
  })

  it('is accepted up to 20 s late and 5 s early, and no more', async ({ expect }) => {
    for (const ms of [19_999, -4_999]) {
      const { send } = coordinator({ nowMs: NOW + ms })
      expect(await portTo(send).report(FEEDBACK), `${ms}`).toEqual(ANSWER)
    }
    for (const ms of [20_000, -5_000]) {
      const { send } = coordinator({ nowMs: NOW + ms })
      await expect(portTo(send).report(FEEDBACK), `${ms}`).rejects.toThrow()
    }
  })

  it('is refused before its body is read, if its head is not signed', async ({ expect }) => {
    let isRead = false
    const body = new ReadableStream(
      {
        pull(controller) {
          isRead = true
          controller.close()
        },
      },
      { highWaterMark: 0 },
    )
    const headers = {
      'Tidegate-Time': String(NOW),
      'Tidegate-Head': 'x',
      'Content-Length': '60000',
    }
    const init = { method: 'POST', headers, body, duplex: 'half' } as RequestInit
    const request = new Request('https://gate.example.com', init)
    expect(await readSignedReport(request, new Signer(SECRETS), NOW)).toBeNull()
    expect(isRead).toBe(false)
  })

  it('is refused if its body does not come in time', async ({ expect }) => {
    const signer = new Signer(SECRETS)
    const headers = {
      'Tidegate-Time': String(NOW),
      'Tidegate-Head': signer.sign('report head', `${NOW}\n900`),
      'Content-Length': '900',
    }
    const body = new ReadableStream({ pull: () => new Promise(() => {}) })
    const init = { method: 'POST', headers, body, duplex: 'half' } as RequestInit
    const request = new Request('https://gate.example.com', init)
    expect(await readSignedReport(request, signer, NOW, 50)).toBeNull()
  })

  it('is refused by the edge if the answer is not signed with the secret', async ({ expect }) => {
    const forged = async () => Response.json(ANSWER)
    await expect(portTo(forged).report(FEEDBACK)).rejects.toThrow('not signed')
    const { send } = coordinator()
    const changedAnswer = async (url: string, init: RequestInit) => {
      const { headers } = await send(url, init)
      return new Response(JSON.stringify({ ...ANSWER, share: 1 }), { headers })
    }
    await expect(portTo(changedAnswer).report(FEEDBACK)).rejects.toThrow('not signed')
  })

  it('is refused by the edge if the answer is a replayed one', async ({ expect }) => {
    const { send } = coordinator()
    let kept: Response | null = null
    const replaying = async (url: string, init: RequestInit): Promise<Response> => {
      kept ??= await send(url, init)
      return kept.clone() as Response
    }
    let nowMs = NOW
    const options = { url: 'https://gate.example.com', secret: SECRET, fetch: replaying }
    const port = httpCoordinator({ ...options, now: () => nowMs })
    expect(await port.report(FEEDBACK)).toEqual(ANSWER)
    nowMs += 1000
    await expect(port.report(FEEDBACK)).rejects.toThrow('not signed')
  })

  it('accepts an edge that still has the previous secret', async ({ expect }) => {
    const { send } = coordinator({ secrets: { current: SECRET, previous: OLDER_SECRET } })
    expect(await portTo(send, OLDER_SECRET).report(FEEDBACK)).toEqual(ANSWER)
    expect(await portTo(send, SECRET).report(FEEDBACK)).toEqual(ANSWER)
  })
})
