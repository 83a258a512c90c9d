import fc from 'fast-check'
import { describe, it } from 'vitest'
import { ReportAggregator } from '../../src/coordinator/report-aggregator.ts'
import { ColoPlanCache } from '../../src/gate/plan-cache.ts'
import { Signer } from '../../src/lib/signer.ts'
import { mergeCommands } from '../../src/protocol/commands.ts'
import { isFeedback } from '../../src/protocol/feedback-schema.ts'
import { mergeRoutes, mergeServers } from '../../src/protocol/merge-reports.ts'
import { isVerdictId, readVerdictId, verdictId } from '../../src/protocol/verdict-id.ts'
import { httpCoordinator, readSignedReport } from '../../src/transport/http.ts'
import { START_MS } from '../support/fakes.ts'
import { feedbackOf, setupOf } from '../support/feedback.ts'
import { alteration, altered, anyJson, fuzz, nearly, textOf } from '../support/fuzz.ts'
import { planOf, SECRET } from '../support/requests.ts'

const COUNTS = { shop: { default: { offered: 3, admitted: 1, latency: [3, 2] } } }
const GOOD = {
  ...feedbackOf(COUNTS, { setup: setupOf() }),
  servers: { 'http://a': { tries: 2, failures: 1 } },
  commands: { stock: { shop: { left: 0, atMs: 5 } }, revoked: { abcdefgh: 7 } },
}

describe('a report from outside', () => {
  it('is refused, or can be added up without an error or a number that is none', async ({
    expect,
  }) => {
    const json = fc.oneof(anyJson, nearly(GOOD), nearly(GOOD))
    let accepted = 0
    await fuzz('feedback', json, (value) => {
      const sent: unknown = JSON.parse(JSON.stringify(value))
      if (!isFeedback(sent)) return
      accepted++
      const routes = mergeRoutes(sent.routes, GOOD.routes)
      expect(JSON.stringify(routes)).not.toMatch(/null|NaN/)
      mergeServers(sent.servers ?? {}, GOOD.servers)
      mergeCommands(sent.commands ?? {}, GOOD.commands)
      new ReportAggregator().add(sent, START_MS)
      expect(({} as Record<string, unknown>).left).toBeUndefined()
    })
    // Otherwise the inputs would show nothing about what is accepted.
    expect(accepted).toBeGreaterThan(100)
  })

  it('over HTTP is refused unless all of it is signed: time, length and body', async ({
    expect,
  }) => {
    const signer = new Signer({ current: SECRET, previous: null })
    const { headers, body } = await signedReport()
    const names = Object.keys(headers)
    const input = fc.tuple(fc.nat(), alteration, fc.boolean())
    await fuzz('signed-report', input, async ([which, [how, at, letter], isBody]) => {
      const name = names[which % names.length]!
      const value = altered(headers[name]!, how, at, letter.replace(/[^\x21-\x7e]/g, 'x'), 'a.b')
      const sent = isBody ? altered(body, how, at, letter, 'a.b') : body
      const given = isBody ? headers : { ...headers, [name]: value }
      const length = isBody ? String(Buffer.byteLength(sent)) : given['Content-Length']!
      // The length is signed as a number.
      const isSameHeader =
        name === 'Content-Length'
          ? Number(value) === Number(headers[name])
          : value === headers[name] || name === 'Content-Type'
      const request = new Request('https://gate.example/_tidegate/report', {
        method: 'POST',
        headers: { ...given, 'Content-Length': length },
        body: sent,
      })
      const report = await readSignedReport(request, signer, START_MS)
      expect(report !== null).toBe(isBody ? sent === body : isSameHeader)
    })
  })
})

/** The headers and the body of a report as an edge on another platform sends it. */
async function signedReport() {
  let sent: { headers: Record<string, string>; body: string } | null = null
  const port = httpCoordinator({
    ...{ url: 'https://gate.example', secret: SECRET, now: () => START_MS },
    fetch: async (_, { headers, body }) => {
      sent = { headers: headers as Record<string, string>, body: body as string }
      return new Response(null, { status: 500 })
    },
  })
  await port.report(GOOD).catch(() => {})
  const { headers, body } = sent!
  return { body, headers: { ...headers, 'Content-Length': String(Buffer.byteLength(body)) } }
}

describe('the id of a verdict', () => {
  it('is read back, or is none', async ({ expect }) => {
    const routes = [{ name: 'shop', classes: [{ name: 'default' }] }]
    const good = verdictId(START_MS, 'abc', 5, 0.5, { kind: 'admit', reason: 'share' })
    const text = textOf('-', '.', 'admit', 'share', 'zzz', '0', good)
    await fuzz('verdict-id', text, (id) => {
      const read = readVerdictId(id, routes)
      if (!isVerdictId(id)) expect(read).toBeNull()
      if (read !== null) expect(Number.isSafeInteger(read.atMs)).toBe(true)
    })
  })
})

describe('a plan in the cache of a data centre', () => {
  it('is ignored unless it is a plan of this version for this origin', async ({ expect }) => {
    const good = { plan: planOf({ drawLimit: 5 }), fairPart: 0.5 }
    const { origin } = good.plan
    const body = fc.oneof(
      nearly(good).map((value) => JSON.stringify(value)),
      anyJson.map((value) => JSON.stringify(value)),
      textOf('{', '}', '"plan"', ':', 'null', '[', ']', ','),
    )
    await fuzz(
      'plan-cache',
      body,
      async (text) => {
        const cache = { match: async () => new Response(text) } as unknown as Cache
        const read = await new ColoPlanCache(cache).read(origin)
        if (read === null) return
        expect(read.plan.origin).toBe(origin)
        expect(read.plan.version).toBe(good.plan.version)
        expect(read.fairPart).toBeGreaterThanOrEqual(0)
        expect(read.fairPart).toBeLessThanOrEqual(1)
      },
      // Both were errors.
      ['null', '{'],
    )
  })
})
