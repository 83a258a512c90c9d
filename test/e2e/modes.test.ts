import { afterAll, beforeAll, describe, it } from 'vitest'
import type { LocalGate } from '../../tools/local-gate.ts'
import { type Answer, send } from '../support/e2e/client.ts'
import { BYPASS, countsOf, statusOf, toCounts, WHEN_REPORTED } from '../support/e2e/figures.ts'
import { NEXT_TO_NOTHING, startFullGate } from '../support/e2e/full-gate.ts'
import { ScriptedOrigin } from '../support/e2e/scripted-origin.ts'

let origin: ScriptedOrigin
let gate: LocalGate

/** The guaranteed rate of the class `vip`. */
const PROMISED = 5

beforeAll(async () => {
  origin = await ScriptedOrigin.start()
  const routes = [
    { name: 'watching', match: '/observe/*', mode: 'observe', whenFull: 'refuse' },
    { name: 'off', match: '/off/*', mode: 'off' },
    {
      name: 'promise',
      match: '/promise/*',
      granularity: 'request',
      classes: [
        { name: 'vip', value: 1, guaranteed: PROMISED, match: { path: '/promise/vip' } },
        { name: 'other', value: 100 },
      ],
    },
    { name: 'site', match: '/*', bypass: [...BYPASS, { path: '/health', method: 'GET' }] },
  ].map((route) => ({
    ...route,
    origin: { url: origin.url, name: route.name === 'promise' ? 'promised' : 'shared' },
    verdictHeader: true,
    learner: NEXT_TO_NOTHING,
  }))
  gate = await startFullGate({ config: { routes }, port: 0 }, '/')
})

afterAll(async () => {
  await gate?.close()
  await origin.close()
})

const ask = (path: string, method = 'GET'): Promise<Answer> =>
  send(`${gate.url}${path}`, { method })

const verdictOf = ({ headers }: Answer): string => String(headers['tidegate-verdict'])

describe('mode "observe"', () => {
  it('admits every visitor, and counts the visitors that it would have refused', async ({
    expect,
  }) => {
    for (let i = 0; i < 10; i++) expect((await ask('/observe/a')).status).toBe(200)
    const last = await ask('/observe/a')
    expect(last.status).toBe(200)
    expect(verdictOf(last)).toMatch(/^refuse; reason=share;/)
    await expect
      .poll(() => countsOf(gate, 'watching'), WHEN_REPORTED)
      .toMatchObject({ offered: 11, admitted: 11, refused: 0, served: 11, wouldRefuse: 11 })
  })
})

describe('mode "off"', () => {
  it('only forwards, without cookies and counts', async ({ expect }) => {
    const answer = await ask('/off/a')
    expect(answer.status).toBe(200)
    expect(verdictOf(answer)).toMatch(/^admit; reason=off;/)
    expect(answer.headers).not.toHaveProperty('set-cookie')
    // A count on another route shows that a report was sent in the meantime.
    const before = await countsOf(gate, 'site')
    await ask('/')
    await expect
      .poll(async () => (await countsOf(gate, 'site'))!.offered, WHEN_REPORTED)
      .toBeGreaterThan(before!.offered)
    expect(await countsOf(gate, 'off')).toMatchObject({ offered: 0, requests: 0 })
  })
})

describe('bypass', () => {
  it('admits health checks, and no similar requests', async ({ expect }) => {
    const check = await ask('/health')
    expect(check.status).toBe(200)
    expect(verdictOf(check)).toMatch(/^admit; reason=bypass;/)
    expect(check.headers).not.toHaveProperty('set-cookie')
    for (const [path, method] of [
      ['/health', 'POST'],
      ['/health/more', 'GET'],
      ['/healthy', 'GET'],
    ] as const)
      expect((await ask(path, method)).status, `${method} ${path}`).toBe(503)
  })
})

describe('A guaranteed rate', () => {
  it('is kept while more valuable classes are refused: 5/s of 25/s offered', async ({ expect }) => {
    const startedAtMs = performance.now()
    const answers = await offer('/promise/vip', { everyMs: 40, forMs: 4000 })
    const granted = (PROMISED * (performance.now() - startedAtMs)) / 1000
    const promised = answers.filter((answer) =>
      verdictOf(answer).startsWith('admit; reason=guaranteed;'),
    )
    // 5/s for 4 s are 20. A new isolate may add a burst of 4, and the first plan comes after a second.
    expect(promised.length).toBeGreaterThanOrEqual(granted - PROMISED)
    expect(promised.length).toBeLessThanOrEqual(granted + 12)
    expect(promised.every(({ status }) => status === 200)).toBe(true)
    expect((await ask('/promise/other')).status).toBe(503)
    const { lastMinute } = await statusOf(gate, 'promise')
    expect(toCounts(lastMinute.classes.vip!).guaranteed).toBeGreaterThan(8)
  })
})

/** Sends requests at fixed times, whether earlier ones are answered or not. */
async function offer(path: string, { everyMs, forMs }: { everyMs: number; forMs: number }) {
  const sent: Promise<Answer>[] = []
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      sent.push(ask(path))
      if (sent.length < forMs / everyMs) return
      clearInterval(timer)
      resolve()
    }, everyMs)
  })
  return Promise.all(sent)
}
