import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { turnstilePort } from '../../src/transport/turnstile.ts'

/** Answers as Cloudflare's siteverify does, by the token. */
const ANSWERS: Readonly<Record<string, string>> = {
  good: '{"success":true,"error-codes":[],"challenge_ts":"2026-11-18T10:00:00Z","hostname":"shop.example.com"}',
  wrong: '{"success":false,"error-codes":["invalid-input-response"]}',
  used: '{"success":false,"error-codes":["timeout-or-duplicate"]}',
  secret: '{"success":false,"error-codes":["invalid-input-secret"]}',
  broken: '{"success":false,"error-codes":["internal-error"]}',
  garbage: '<html>502 Bad Gateway</html>',
  number: '7',
  none: 'null',
  words: '{"success":"yes"}',
}

let server: Server
let url: string
const bodies: unknown[] = []

beforeAll(async () => {
  server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += String(chunk)
    const { response: token } = JSON.parse(body) as { response: string }
    bodies.push(JSON.parse(body))
    if (token === 'slow') return
    response.setHeader('Content-Type', 'application/json')
    response.end(ANSWERS[token])
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/turnstile/v0`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const verify = async (token: string, base = url) => {
  const warnings: string[] = []
  const port = turnstilePort({ url: base, timeoutMs: 200 }, 'the secret', (what) => {
    warnings.push(what)
  })
  return { outcome: await port.verify(token, '203.0.113.7'), warnings }
}

describe('a token, at an endpoint that answers like siteverify', () => {
  it('passes if it is good: the endpoint gets the secret, the token and the address', async ({
    expect,
  }) => {
    expect(await verify('good')).toEqual({ outcome: 'passed', warnings: [] })
    expect(bodies.at(-1)).toEqual({
      ...{ secret: 'the secret', response: 'good', remoteip: '203.0.113.7' },
    })
  })

  it('fails if it is wrong, too old or used before, without a line in the log', async ({
    expect,
  }) => {
    for (const token of ['wrong', 'used'])
      expect(await verify(token)).toEqual({ outcome: 'failed', warnings: [] })
  })

  it('fails without a call if it is longer than any token', async ({ expect }) => {
    const before = bodies.length
    expect((await verify('x'.repeat(2049))).outcome).toBe('failed')
    expect(bodies.length).toBe(before)
  })

  it('is not verified if the endpoint is down, slow, broken, or the secret is wrong', async ({
    expect,
  }) => {
    for (const token of ['slow', 'secret', 'broken', 'garbage', 'number', 'none', 'words']) {
      const { outcome, warnings } = await verify(token)
      expect([token, outcome, warnings.length]).toEqual([token, 'down', 1])
    }
    const { outcome, warnings } = await verify('good', 'http://127.0.0.1:1/nothing')
    expect([outcome, warnings.length]).toEqual(['down', 1])
    expect((await verify('secret')).warnings).toEqual(['invalid-input-secret'])
  })
})
