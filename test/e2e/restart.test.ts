import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { type LocalGate, startLocalGate } from '../../tools/local-gate.ts'
import { cookiesOf, send } from '../support/e2e/client.ts'
import { BYPASS, countsOf, statusOf, WHEN_REPORTED } from '../support/e2e/figures.ts'
import { Load } from '../support/e2e/load.ts'
import { ScriptedOrigin } from '../support/e2e/scripted-origin.ts'

const secrets = {
  TIDEGATE_SECRET: 'the same secret before and after the restart',
  TIDEGATE_ADMIN_TOKEN: 'the same token before and after',
}

let origin: ScriptedOrigin
let persist: string
let gate: LocalGate

const start = (): Promise<LocalGate> => {
  const routes = [
    { name: 'site', match: '/*', origin: origin.url, bypass: BYPASS, verdictHeader: true },
  ]
  return startLocalGate({ config: { routes }, port: 0, persist, secrets })
}

beforeAll(async () => {
  origin = await ScriptedOrigin.start()
  persist = await mkdtemp(join(tmpdir(), 'tidegate-restart-'))
  gate = await start()
})

afterAll(async () => {
  await gate?.close()
  await origin.close()
  await rm(persist, { recursive: true })
})

describe('A restart of the runtime under load', () => {
  it('loses no knowledge, no session and no request', async ({ expect }) => {
    // 30 ms for each page and a new request every 20 ms: some are always in flight.
    origin.on('/page', ({ response }) => setTimeout(() => response.end('page'), 30))
    const Cookie = cookiesOf(await send(`${gate.url}/page`))
    const load = new Load(() => `${gate.url}/page`, { everyMs: 20 })
    const limitNow = async () => (await statusOf(gate, 'site')).plan?.limit ?? null
    await expect.poll(limitNow, WHEN_REPORTED).not.toBeNull()
    const before = (await limitNow())!

    await gate.close()
    gate = await start()
    const after = (await limitNow())!
    // There may have been a tick in between: one step of the learner, but no new start.
    expect(after / before).toBeGreaterThan(1 / 1.5)
    expect(after / before).toBeLessThan(1.5)
    const known = await send(`${gate.url}/page`, { headers: { Cookie } })
    expect(known.headers['tidegate-verdict']).toMatch(/^admit; reason=session;/)

    const { sent, answered, broken } = await load.stop()
    expect(broken).toBeGreaterThan(0)
    expect(answered + broken).toBe(sent)
    await expect
      .poll(async () => {
        const counts = await countsOf(gate, 'site')
        const { requests = 0, served = 0, failed = 0, abandoned = 0, inFlight } = counts ?? {}
        return { some: requests > 0, open: requests - served - failed - abandoned, inFlight }
      }, WHEN_REPORTED)
      .toEqual({ some: true, open: 0, inFlight: 0 })
  })
})
