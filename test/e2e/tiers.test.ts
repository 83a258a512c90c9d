import { afterAll, beforeAll, describe, it } from 'vitest'
import { type LocalGate, startLocalGate } from '../../tools/local-gate.ts'
import { send } from '../support/e2e/client.ts'
import { WHEN_REPORTED } from '../support/e2e/figures.ts'
import { startOrigin } from '../support/e2e/origin.ts'

let origin: Awaited<ReturnType<typeof startOrigin>>
let gate: LocalGate

beforeAll(async () => {
  origin = await startOrigin(({ url = '' }, response) => {
    const isReport = url.startsWith('/reports/')
    response.setHeader('Server-Timing', isReport ? 'app;dur=4, db;dur=90' : 'app;dur=9, db;dur=2')
    response.end()
  })
  const heavy = { name: 'heavy', match: { tier: 'db' }, sla: { targetMs: 5000 } }
  gate = await startLocalGate({
    config: {
      routes: [
        {
          ...{ name: 'site', match: '/*', origin: origin.url, granularity: 'request' },
          ...{ classes: [heavy], verdictHeader: true },
        },
      ],
    },
    port: 0,
  })
})
afterAll(async () => {
  await gate?.close()
  await origin?.close()
})

const classOf = async (path: string): Promise<string | undefined> => {
  const { headers } = await send(`${gate.url}${path}`)
  return /class=([^;]+)/.exec(String(headers['tidegate-verdict']))?.[1]
}

describe("the origin's Server-Timing", () => {
  it('tells which class a path belongs to, from its first answer on', async ({ expect }) => {
    expect(await classOf('/reports/1')).toBe('default')
    expect(await classOf('/reports/1')).toBe('heavy')
    expect(await classOf('/reports/2?year=2026')).toBe('heavy')
    for (const path of ['/', '/', '/about']) expect(await classOf(path)).toBe('default')
  })

  it('gives such a class a learner and a target of its own', async ({ expect }) => {
    const headers = { Authorization: `Bearer ${gate.adminToken}` }
    const path = '/_tidegate/api/v1/routes/site/status'
    const status = async () => {
      await classOf('/reports/1')
      return JSON.parse((await send(`${gate.url}${path}`, { headers })).text)
    }
    await expect
      .poll(status, WHEN_REPORTED)
      .toMatchObject({ plan: { classes: { heavy: { targetMs: 5000, own: {} } } } })
  })
})
