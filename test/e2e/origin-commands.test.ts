import { afterAll, beforeAll, describe, it } from 'vitest'
import { type Answer, cookiesOf } from '../support/e2e/client.ts'
import { ScriptedOrigin } from '../support/e2e/scripted-origin.ts'
import { startTwoGates, type TwoGates } from '../support/e2e/two-gates.ts'

let origin: ScriptedOrigin
let two: TwoGates

beforeAll(async () => {
  origin = await ScriptedOrigin.start()
  const shared = { origin: origin.url, verdictHeader: true, learner: { name: 'fixed', limit: 500 } }
  two = await startTwoGates({
    routes: [
      { ...shared, name: 'tickets', match: '/tickets/*' },
      { ...shared, name: 'shop', match: '/*' },
    ],
  })
  origin.on('/tickets/last', ({ response }) => {
    response.setHeader('Tidegate-Stock', '0').end('the last one')
  })
  origin.on('/tickets/returned', ({ response }) => {
    response.setHeader('Tidegate-Stock', '1').end('one came back')
  })
  origin.on('/thanks', ({ response }) => {
    response.setHeader('Tidegate-Session', 'revoke').end('thank you')
  })
})

afterAll(async () => {
  await two?.close()
  await origin.close()
})

const verdictOf = ({ headers }: Answer): string =>
  /reason=([\w-]+)/.exec(String(headers['tidegate-verdict']))![1]!

interface Seen {
  readonly startedAtMs: number
  readonly gate: number
  readonly reason: string
}

/** Asks both gates over and over, until all answers of the last 400 ms have this reason. Every answer is kept. */
async function watch(path: string, until: string, headers: Record<string, string> = {}) {
  const seen: Seen[] = []
  const fromMs = performance.now()
  for (;;) {
    const startedAtMs = performance.now()
    const answers = await Promise.all(two.gates.map((gate) => gate.ask(path, { headers })))
    for (const [gate, answer] of answers.entries())
      seen.push({ startedAtMs, gate, reason: verdictOf(answer) })
    const newest = seen.filter((one) => one.startedAtMs > startedAtMs - 400)
    const isSettled = startedAtMs > fromMs + 400 && newest.every(({ reason }) => reason === until)
    if (isSettled || startedAtMs > fromMs + 10_000) return seen
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** When the last answer with another reason began. */
function lastOther(seen: readonly Seen[], reason: string): number {
  return Math.max(0, ...seen.filter((one) => one.reason !== reason).map((one) => one.startedAtMs))
}

describe('Tidegate-Stock: 0', () => {
  it('lets every new visitor of every gate know within 2 s, and sessions go on', async ({
    expect,
  }) => {
    const [berlin, sydney] = two.gates
    await sydney.ask('/tickets/a')
    const admitted = await berlin.ask('/tickets/a')
    const Cookie = cookiesOf(admitted)
    const last = await berlin.ask('/tickets/last', { headers: { Cookie } })
    const saidAtMs = performance.now()
    expect(last.headers).not.toHaveProperty('tidegate-stock')
    const seen = await watch('/tickets/b', 'sold-out')
    expect(lastOther(seen, 'sold-out') - saidAtMs).toBeLessThan(2000)
    for (const gate of two.gates) {
      const late = await gate.ask('/tickets/c', { headers: { Accept: 'text/html' } })
      expect(late.status).toBe(503)
      expect(late.text).toContain('Sold out')
      expect((await gate.ask('/tickets/c', { headers: { Cookie } })).status).toBe(200)
    }
  })

  it('does not stop other routes', async ({ expect }) => {
    for (const gate of two.gates) expect((await gate.ask('/')).status).toBe(200)
  })

  it('holds in an isolate that had no request for a while', async ({ expect }) => {
    const [, sydney] = two.gates
    expect(verdictOf(await sydney.ask('/tickets/d'))).toBe('sold-out')
  })
})

describe('Tidegate-Session: revoke', () => {
  it('ends the session in both gates within 2 s', async ({ expect }) => {
    const [berlin, sydney] = two.gates
    const first = await sydney.ask('/start')
    const Cookie = cookiesOf(first)
    for (const gate of two.gates)
      expect(verdictOf(await gate.ask('/cart', { headers: { Cookie } }))).toBe('session')
    const thanks = await berlin.ask('/thanks', { headers: { Cookie } })
    const saidAtMs = performance.now()
    expect(thanks.headers).not.toHaveProperty('tidegate-session')
    expect(String(thanks.headers['set-cookie'])).toContain('Max-Age=0')
    const seen = await watch('/cart', 'share', { Cookie })
    expect(lastOther(seen, 'share') - saidAtMs).toBeLessThan(2000)
    expect(new Set(seen.map(({ gate }) => gate)).size).toBe(2)
  })
})
