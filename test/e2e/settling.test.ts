import { once } from 'node:events'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { type LocalGate, startLocalGate } from '../../tools/local-gate.ts'
import {
  type Answer,
  answerTo,
  collect,
  nextChunk,
  openRequest,
  send,
} from '../support/e2e/client.ts'
import { BYPASS, countsOf, statusOf, WHEN_REPORTED } from '../support/e2e/figures.ts'
import { startOrigin } from '../support/e2e/origin.ts'
import { ScriptedOrigin } from '../support/e2e/scripted-origin.ts'

/** Requests that take so long that sweeps hand the watch over to them. */
const LONG_COUNT = 24
const LONG_TIMEOUT_MS = 5000

let origin: ScriptedOrigin
let silent: ScriptedOrigin
let gate: LocalGate
/** Sent before all other requests, because they take long. */
let long: { readonly startedAt: number; readonly never: Promise<Answer[]>; late: Promise<Answer> }

beforeAll(async () => {
  origin = await ScriptedOrigin.start()
  const down = await startOrigin((_request, response) => response.end())
  await down.close()
  const alive = { url: origin.url, timeoutMs: 500 }
  silent = await ScriptedOrigin.start()
  silent.on('/long/never', () => {})
  silent.on('/long/late', ({ response }) =>
    setTimeout(() => response.end('late'), LONG_TIMEOUT_MS / 2),
  )
  const routes = [
    { name: 'down', match: '/down/*', origin: { url: down.url, timeoutMs: 500 }, bypass: BYPASS },
    { name: 'slow', match: '/slow/*', origin: alive },
    { name: 'uploads', match: '/uploads/*', origin: alive },
    { name: 'errors', match: '/errors/*', origin: alive },
    { name: 'mixed', match: '/mixed/*', origin: alive },
    {
      name: 'long',
      match: '/long/*',
      origin: { url: silent.url, timeoutMs: LONG_TIMEOUT_MS },
      bypass: BYPASS,
    },
    { name: 'site', match: '/*', origin: alive, bypass: BYPASS },
  ].map((route) => ({ ...route, sla: { targetMs: 500 }, learner: 'fixed' }))
  gate = await startLocalGate({ config: { routes }, port: 0 })
  const startedAt = performance.now()
  const asking = Array.from({ length: LONG_COUNT }, () => send(`${gate.url}/long/never`))
  long = { startedAt, never: Promise.all(asking), late: send(`${gate.url}/long/late`) }
})

afterAll(async () => {
  await gate?.close()
  await origin.close()
  await silent.close()
})

const JSON_CLIENT = { headers: { Accept: 'application/json' } }
const BROWSER = { headers: { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } }

describe('An origin that does not answer', () => {
  it('is a 502 if it cannot be reached, for programs and for browsers', async ({ expect }) => {
    const problem = await send(`${gate.url}/down/a`, JSON_CLIENT)
    expect(problem.status).toBe(502)
    expect(problem.headers['content-type']).toBe('application/problem+json')
    expect(problem.headers['cache-control']).toContain('no-store')
    expect(JSON.parse(problem.text)).toMatchObject({ status: 502, title: 'Not reachable' })
    const page = await send(`${gate.url}/down/a`, BROWSER)
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8')
    expect(page.text).toContain('could not be reached')
    expect(page.text).not.toContain('127.0.0.1')
  })

  it('is a 504 if it takes longer than origin.timeoutMs, and its request is closed', async ({
    expect,
  }) => {
    const arriving = origin.next('/slow/a')
    const startedAt = performance.now()
    const asking = send(`${gate.url}/slow/a`, JSON_CLIENT)
    const { response } = await arriving
    const gone = once(response, 'close')
    const answer = await asking
    // The timeout is 500 ms. A busy machine may take longer, but not less.
    expect(performance.now() - startedAt).toBeGreaterThan(490)
    expect(answer.status).toBe(504)
    expect(JSON.parse(answer.text)).toMatchObject({ status: 504, title: 'No answer in time' })
    await gone
  })

  it('in time with its headers may take any time for the body', async ({ expect }) => {
    const arriving = origin.next('/long-body')
    const asking = openRequest(`${gate.url}/long-body`).end()
    const { response } = await arriving
    response.write('first')
    const answer = await answerTo(asking)
    await nextChunk(answer)
    // Meanwhile another request times out, so more than the timeout has passed.
    origin.on('/slow/never', () => {})
    expect((await send(`${gate.url}/slow/never`)).status).toBe(504)
    response.end('last')
    expect(await nextChunk(answer)).toBe('last')
  })

  it('is not blamed for a slow upload: its time starts at the end of the upload', async ({
    expect,
  }) => {
    const arriving = origin.next('/uploads/a')
    const outgoing = openRequest(`${gate.url}/uploads/a`, { method: 'POST' })
    outgoing.write('first')
    const { request, response } = await arriving
    // Longer than the timeout, as another request shows.
    expect((await send(`${gate.url}/slow/never`)).status).toBe(504)
    outgoing.end('last')
    await once(request.resume(), 'end')
    response.end('all here')
    expect((await collect(await answerTo(outgoing))).text).toBe('all here')
    origin.on('/slow/upload', ({ request }) => request.resume())
    const body = Buffer.alloc(1_000_000)
    expect((await send(`${gate.url}/slow/upload`, { method: 'POST', body })).status).toBe(504)
  })

  it('counts each of them as failed, none of them as goodput', async ({ expect }) => {
    const failed = { served: 0, abandoned: 0, withinTarget: 0, inFlight: 0 }
    await expect
      .poll(() => countsOf(gate, 'down', '/down/carrier'), WHEN_REPORTED)
      .toMatchObject({ ...failed, requests: 2, failed: 2 })
    await expect
      .poll(() => countsOf(gate, 'slow'), WHEN_REPORTED)
      .toMatchObject({ ...failed, requests: 4, failed: 4 })
    await expect
      .poll(() => countsOf(gate, 'uploads'), WHEN_REPORTED)
      .toMatchObject({ requests: 1, served: 1 })
    // The time of an upload does not measure the origin.
    expect((await statusOf(gate, 'uploads')).lastMinute.p50Ms).toBeNull()
  })
})

describe('A slow request', () => {
  it('gets its answer, however late within the timeout', async ({ expect }) => {
    expect(await long.late).toMatchObject({ status: 200, text: 'late' })
  })

  it('gets a 504 after the timeout, all of them', async ({ expect }) => {
    const answers = await long.never
    expect(performance.now() - long.startedAt).toBeGreaterThan(LONG_TIMEOUT_MS - 10)
    expect(answers.map(({ status }) => status)).toEqual(
      Array.from({ length: LONG_COUNT }, () => 504),
    )
    await expect
      .poll(() => countsOf(gate, 'long', '/long/carrier'), WHEN_REPORTED)
      .toMatchObject({
        requests: LONG_COUNT + 1,
        served: 1,
        failed: LONG_COUNT,
        abandoned: 0,
        inFlight: 0,
      })
  })

  it('is abandoned when its client leaves', async ({ expect }) => {
    await Promise.all(Array.from({ length: LONG_COUNT }, () => leaveEarly('/long/early', silent)))
    await expect
      .poll(() => countsOf(gate, 'long', '/long/carrier'), WHEN_REPORTED)
      .toMatchObject({ requests: 2 * LONG_COUNT + 1, abandoned: LONG_COUNT, inFlight: 0 })
  })
})

describe('Errors of the origin', () => {
  it('pass unchanged: a 5xx counts as failed, a 4xx as served', async ({ expect }) => {
    for (const status of [400, 404, 429, 500, 503]) {
      const path = `/errors/${status}`
      origin.on(path, ({ response }) => response.writeHead(status).end(`mine: ${status}`))
      expect(await send(`${gate.url}${path}`)).toMatchObject({ status, text: `mine: ${status}` })
    }
    await expect
      .poll(() => countsOf(gate, 'errors'), WHEN_REPORTED)
      .toMatchObject({ requests: 5, served: 3, failed: 2, withinTarget: 3, inFlight: 0 })
  })
})

describe('Every admitted request is settled exactly once', () => {
  it('served, failed, timed out, left early or left during the answer: the sum is right', async ({
    expect,
  }) => {
    origin.on('/mixed/bad', ({ response }) => response.writeHead(500).end())
    origin.on('/mixed/hang', () => {})
    origin.on('/mixed/cut', ({ response }) => {
      response.writeHead(200, { 'Content-Length': 9 })
      response.write('first', () => response.destroy())
    })
    origin.on('/mixed/endless', ({ response }) => {
      const more = setInterval(() => response.write('more'), 5)
      response.on('close', () => clearInterval(more))
    })
    const kinds = [
      () => send(`${gate.url}/mixed/good`),
      () => send(`${gate.url}/mixed/bad`),
      () => send(`${gate.url}/mixed/hang`),
      () => send(`${gate.url}/mixed/cut`).catch(() => {}),
      () => leaveEarly('/mixed/early', origin),
      leaveInMidAnswer,
    ]
    await Promise.all(kinds.map((run) => run()))
    await Promise.all(Array.from({ length: 10 }, () => kinds.map((run) => run())).flat())
    await expect
      .poll(async () => {
        const counts = await countsOf(gate, 'mixed')
        const { requests = 0, served = 0, failed = 0, abandoned = 0, inFlight } = counts ?? {}
        return { requests, open: requests - served - failed - abandoned, inFlight }
      }, WHEN_REPORTED)
      .toEqual({ requests: 66, open: 0, inFlight: 0 })
    const counts = await countsOf(gate, 'mixed')
    // `bad` and `hang` failed, and `early` was abandoned. The others were served, because their headers arrived.
    expect(counts).toMatchObject({ failed: 22, abandoned: 11, served: 33 })
  })
})

async function leaveEarly(path: string, origin: ScriptedOrigin): Promise<void> {
  const arriving = origin.next(path)
  const outgoing = openRequest(`${gate.url}${path}`)
  outgoing.on('error', () => {})
  outgoing.end()
  const { response } = await arriving
  outgoing.socket!.resetAndDestroy()
  await once(response, 'close')
}

async function leaveInMidAnswer(): Promise<void> {
  const answer = await answerTo(openRequest(`${gate.url}/mixed/endless`).end())
  await nextChunk(answer)
  answer.destroy()
}
