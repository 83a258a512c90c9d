import { describe, it } from 'vitest'
import { readVerdictId } from '../../src/protocol/verdict-id.ts'
import { gateOf } from '../support/gates.ts'

const REFUSING = { seq: 7, drawLimit: 0, classes: { default: { probability: 0 } } }

describe('the samples of verdicts in a report', () => {
  it('are a few, whatever the traffic is, and start anew with each report', async ({ expect }) => {
    const { visit, route } = await gateOf({}, REFUSING)
    const drain = () => route.origin.countersOf('shop').drain().samples ?? []
    for (let i = 0; i < 100; i++) visit('/')
    const samples = drain()
    expect(samples).toHaveLength(2)
    expect(readVerdictId(samples[0]!, [route.route])).toMatchObject({
      ...{ route: 'shop', class: 'default', planSeq: 7, permille: 0 },
      ...{ kind: 'refuse', reason: 'share' },
    })
    expect(drain()).toEqual([])
    visit('/')
    expect(drain()).toHaveLength(1)
  })

  it('have the id that the header names', async ({ expect }) => {
    const { visit, route, runtime } = await gateOf({ verdictHeader: true }, REFUSING)
    const header = visit('/').refusal(runtime.now()).headers.get('Tidegate-Verdict')!
    const [, id] = /^refuse; reason=share; route=shop; class=default; id=(\S+)$/.exec(header)!
    expect(route.origin.countersOf('shop').drain().samples).toContain(id)
  })
})

describe('Server-Timing', () => {
  it('says how long the gate held the request, beside what the origin says', async ({ expect }) => {
    const { gate, runtime, route } = await gateOf(
      { serverTiming: true },
      { classes: { default: {} } },
    )
    const { view } = gate.enter(new Request('https://shop.example.com/'))!
    await runtime.advance(30)
    const visit = await route.decide(view, runtime.now())
    visit.begin(runtime.now())
    await runtime.advance(500)
    const answer = new Response('', { headers: { 'Server-Timing': 'db;dur=9' } })
    const { headers } = visit.answered(answer, runtime.now())
    expect(headers.get('Server-Timing')).toBe('db;dur=9, tidegate;dur=30')
  })

  it('is not sent unless it is configured', async ({ expect }) => {
    const { visit, runtime } = await gateOf({}, { classes: { default: {} } })
    const { headers } = visit('/').answered(new Response(''), runtime.now())
    expect(headers.has('Server-Timing')).toBe(false)
  })
})
