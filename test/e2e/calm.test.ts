import { afterAll, beforeAll, beforeEach, describe, it } from 'vitest'
import { FEEDBACK_VERSION } from '../../src/protocol/feedback.ts'
import type { Plan } from '../../src/protocol/plan.ts'
import { httpCoordinator } from '../../src/transport/http.ts'
import { type Answer, cookiesOf } from '../support/e2e/client.ts'
import { ScriptedOrigin } from '../support/e2e/scripted-origin.ts'
import {
  GATE_SECRETS,
  type GateInColo,
  startCalmGates,
  type TwoGates,
} from '../support/e2e/two-gates.ts'

/** What is commanded is in force for every draw that starts later than this. */
const WITHIN_MS = 2000

let origin: ScriptedOrigin
let two: TwoGates
const headers = { Authorization: `Bearer ${GATE_SECRETS.TIDEGATE_ADMIN_TOKEN}` }

beforeAll(async () => {
  origin = await ScriptedOrigin.start()
  const learner = { name: 'fixed', limit: 500 }
  two = await startCalmGates({
    routes: [{ name: 'shop', match: '/*', origin: origin.url, verdictHeader: true, learner }],
  })
  for (const [path, name, value] of [
    ['/last', 'Tidegate-Stock', '0'],
    ['/returned', 'Tidegate-Stock', '1'],
    ['/thanks', 'Tidegate-Session', 'revoke'],
  ] as const)
    origin.on(path, ({ response }) => void response.setHeader(name, value).end('done'))
})
afterAll(async () => {
  await two?.close()
  await origin.close()
})

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

const reasonOf = (answer: Answer): string =>
  /reason=([\w-]+)/.exec(String(answer.headers['tidegate-verdict']))![1]!

const draw = async (gate: GateInColo): Promise<string> => reasonOf(await gate.ask('/'))

let seq = 0

/** The newest plan, as the answer to a report of an isolate without visitors. */
async function newestPlan(): Promise<Plan> {
  const { TIDEGATE_SECRET: secret } = GATE_SECRETS
  const port = httpCoordinator({ url: two.gates[0].url, secret })
  const nowMs = Date.now()
  const { plan } = await port.report({
    ...{ version: FEEDBACK_VERSION, origin: origin.url, sender: 'a test', seq: seq++ },
    ...{ fromMs: nowMs, toMs: nowMs, routes: {} },
  })
  return plan!
}

/** A few visitors each second, until it is calm and both isolates know it. */
beforeEach(async ({ expect }) => {
  const visit = () => Promise.all(two.gates.map(draw))
  const isCalm = async () => {
    await visit()
    return (await newestPlan()).calmMs !== undefined
  }
  await expect.poll(isCalm, { interval: 300 }).toBe(true)
  for (let i = 0; i < 8; i++) {
    await visit()
    await sleep(300)
  }
  expect((await newestPlan()).calmMs).toBeGreaterThan(WITHIN_MS)
})

const api = (method: string, path: string, body?: object): Promise<Answer> =>
  two.gates[0].ask(`/_tidegate/api/v1/routes/shop/${path}`, {
    ...{ method, headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })

const act = async (body: object): Promise<() => Promise<Answer>> => {
  const { id } = JSON.parse((await api('POST', 'actions', body)).text) as { id: string }
  return () => api('DELETE', `actions/${id}`)
}

describe('in calm, 2 s later, in an isolate of another data centre', () => {
  it('a mode is in force, and so is its end', async ({ expect }) => {
    const [, sydney] = two.gates
    const undo = await act({ action: 'mode', mode: 'off' })
    await sleep(WITHIN_MS)
    expect(await draw(sydney)).toBe('off')
    await undo()
    await sleep(WITHIN_MS)
    expect(await draw(sydney)).not.toBe('off')
  })

  it('an event is in force', async ({ expect }) => {
    const [, sydney] = two.gates
    const opens = new Date(Date.now() + 3_600_000).toISOString().replace(/\.\d+/, '')
    const made = await api('PUT', 'waiting-room/events/pause', { opens, preQueueMs: 7_200_000 })
    expect(made.status).toBe(200)
    await sleep(WITHIN_MS)
    expect(await draw(sydney)).toBe('event')
    await api('DELETE', 'waiting-room/events/pause')
  })

  it('a route is sold out, and open again', async ({ expect }) => {
    const [berlin, sydney] = two.gates
    const Cookie = cookiesOf(await berlin.ask('/'))
    await berlin.ask('/last', { headers: { Cookie } })
    await sleep(WITHIN_MS)
    expect(await draw(sydney)).toBe('sold-out')
    await berlin.ask('/returned', { headers: { Cookie } })
    await sleep(WITHIN_MS)
    expect(await draw(sydney)).not.toBe('sold-out')
  })

  it.for(['first', 'next'])(
    'a session has ended: the %s one of the site',
    async (which, { expect }) => {
      const [berlin, sydney] = two.gates
      const asked = { headers: { Cookie: cookiesOf(await sydney.ask('/')) } }
      expect(reasonOf(await berlin.ask('/', asked))).toBe('session')
      await berlin.ask('/thanks', asked)
      await sleep(WITHIN_MS)
      // Where no session was ended before, no request of a session waits. The first one brings the plan.
      if (which === 'first') {
        await sydney.ask('/', asked)
        await sleep(100)
      }
      expect(reasonOf(await sydney.ask('/', asked))).not.toBe('session')
    },
  )

  it('a fixed limit is in force', async ({ expect }) => {
    const [, sydney] = two.gates
    const undo = await act({ action: 'limit', limit: 0.01 })
    await sleep(WITHIN_MS)
    const reasons: string[] = []
    for (let i = 0; i < 20; i++) {
      const { status } = await sydney.ask('/', { headers: { Accept: 'text/html' } })
      reasons.push(String(status))
    }
    // A few may come at once.
    expect(reasons.filter((status) => status === '200').length).toBeLessThan(6)
    await undo()
  })
})
