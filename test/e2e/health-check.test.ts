import { afterAll, beforeAll, describe, it } from 'vitest'
import { type LocalGate, startLocalGate } from '../../tools/local-gate.ts'
import { send } from '../support/e2e/client.ts'
import { ScriptedOrigin } from '../support/e2e/scripted-origin.ts'

let servers: readonly ScriptedOrigin[]
let gate: LocalGate
let isSick = false

beforeAll(async () => {
  servers = await Promise.all([0, 1].map(() => ScriptedOrigin.start()))
  for (const [i, server] of servers.entries()) {
    server.on('/who', ({ response }) => response.end(`server ${i}`))
    server.on('/healthz', ({ response }) => {
      response.statusCode = i === 0 && isSick ? 503 : 200
      response.end()
    })
  }
  const origin = {
    servers: servers.map(({ url }) => ({ url })),
    slowStartMs: 0,
    healthCheck: { path: '/healthz', everyMs: 1000 },
  }
  const keys = { granularity: 'request', fairness: false, learner: 'fixed' }
  gate = await startLocalGate({ config: { routes: [{ match: '/*', origin, ...keys }] }, port: 0 })
})

afterAll(async () => {
  await gate?.close()
  await Promise.all((servers ?? []).map((server) => server.close()))
})

/** Which servers answer 20 visitors. */
async function answering(): Promise<readonly string[]> {
  const answers = await Promise.all(Array.from({ length: 20 }, () => send(`${gate.url}/who`)))
  return [...new Set(answers.map(({ text }) => text))].sort()
}

describe('Health checks by configuration', () => {
  it('take out a server that answers visitors but fails its checks, and bring it back', async ({
    expect,
  }) => {
    const waiting = { interval: 200 }
    await expect.poll(answering, waiting).toEqual(['server 0', 'server 1'])
    isSick = true
    await expect.poll(answering, waiting).toEqual(['server 1'])
    isSick = false
    await expect.poll(answering, waiting).toEqual(['server 0', 'server 1'])
  })
})
