import fc from 'fast-check'
import { describe, it } from 'vitest'
import type { OverrideChange } from '../../src/coordinator/operator/action.ts'
import type { Visit } from '../../src/gate/visit.ts'
import { markOf } from '../../src/protocol/commands.ts'
import { CalmEdge } from '../support/calm-edge.ts'
import { sessionOf } from '../support/gates.ts'

/** What is in force for every draw that starts later than this after it was commanded. */
const WITHIN_MS = 2000

const override =
  (change: OverrideChange) =>
  ({ core, runtime }: CalmEdge): void => {
    const given = { id: 'a', route: 'shop', change, by: 'Ada', sinceMs: runtime.now() }
    core.override([{ ...given, untilMs: null }], runtime.now())
  }

const COMMANDS: Readonly<
  Record<string, { run(edge: CalmEdge): void; isObeyed(visit: Visit): boolean }>
> = {
  mode: {
    run: override({ action: 'mode', mode: 'off' }),
    isObeyed: ({ verdict }) => verdict.reason === 'off',
  },
  'fixed limit': {
    run: override({ action: 'limit', limit: 0 }),
    isObeyed: ({ isRefused }) => isRefused,
  },
  stock: {
    run: ({ core, runtime }) =>
      core.command({ stock: { shop: { left: 0, atMs: runtime.now() } } }, runtime.now()),
    isObeyed: ({ verdict }) => verdict.reason === 'sold-out',
  },
  event: {
    run: ({ core, runtime }) => {
      const closesMs = runtime.now() - 1
      const event = { name: 'pause', preQueueMs: 0, opensMs: null, closesMs, reopensMs: null }
      core.command({ events: { shop: [event] } }, runtime.now())
    },
    isObeyed: ({ verdict }) => verdict.reason === 'event',
  },
}

/** Draws at these isolates, each so long after the one before. */
const draws = (isolates: number) =>
  fc.array(
    fc.record({
      isolate: fc.nat(isolates - 1),
      gapMs: fc.oneof(fc.nat(300), fc.integer({ min: 300, max: 3000 }), fc.nat(9000)),
    }),
    { minLength: 3, maxLength: 15 },
  )

const FAR_MS = 150
const NEAR_MS = 30

describe.for([
  ...Object.keys(COMMANDS).map((name) => [name, NEAR_MS] as const),
  // Where no answer comes in time, a lone visitor passes whatever the limit is.
  ...['mode', 'stock', 'event'].map((name) => [name, FAR_MS] as const),
])('in calm, a command (%s, with a coordinator %d ms away)', ([name, awayMs]) => {
  const { run, isObeyed } = COMMANDS[name]!

  it.for([1, 2, 3, 4, 5])(
    'is in force for every draw that starts 2 s later, in each of %d isolates',
    async (isolates, { expect }) => {
      await fc.assert(
        fc.asyncProperty(draws(isolates), draws(isolates), async (before, after) => {
          const edge = new CalmEdge(isolates, awayMs)
          const { runtime } = edge
          await edge.untilCalm()
          const seen: { startMs: number; waitedMs: number; visit: Visit }[] = []
          const go = async (list: typeof before): Promise<void> => {
            for (const { isolate, gapMs } of list) {
              await runtime.advance(gapMs)
              const startMs = runtime.now()
              void edge.visit(isolate).then((one) => seen.push({ startMs, ...one }))
            }
          }
          await go(before)
          expect(edge.core.plan!.calmMs).toBeDefined()
          const saidMs = runtime.now()
          run(edge)
          edge.push()
          await go(after)
          await runtime.advance(200)
          expect(seen).toHaveLength(before.length + after.length)
          expect(seen.every(({ waitedMs }) => waitedMs <= 100)).toBe(true)
          const late = seen.filter(({ startMs }) => startMs > saidMs + WITHIN_MS)
          const wrong = late.filter(({ visit }) => !isObeyed(visit))
          expect(
            wrong.map(({ startMs, waitedMs, visit }) => ({
              afterMs: startMs - saidMs,
              ...{ waitedMs, verdict: visit.verdict },
            })),
          ).toEqual([])
        }),
        { numRuns: 20, seed: 11 + isolates, endOnFailure: true },
      )
    },
  )
})

describe('in calm, the end of a session', () => {
  const visited = async (edge: CalmEdge, isolate: number, asked = {}) => {
    const visiting = edge.visit(isolate, asked)
    await edge.runtime.advance(150)
    return visiting
  }

  /** A visitor who has a session in each isolate, and its mark. */
  async function visitorOf(edge: CalmEdge) {
    const { visit } = await visited(edge, 0)
    const Cookie = sessionOf(visit, edge.runtime.now())
    const id = decodeURIComponent(Cookie.split('=')[1]!).split('.')[2]!
    const revoke = (): void => {
      const revoked = { [markOf(id)]: edge.runtime.now() + 3_600_000 }
      edge.core.command({ revoked }, edge.runtime.now())
      edge.push()
    }
    return { asked: { headers: { Cookie } }, revoke }
  }

  it('is known 2 s later where sessions were ended before', async ({ expect }) => {
    const edge = new CalmEdge(2)
    await edge.untilCalm()
    const first = await visitorOf(edge)
    first.revoke()
    await edge.untilCalm()
    const { asked, revoke } = await visitorOf(edge)
    for (const isolate of [0, 1])
      expect((await visited(edge, isolate, asked)).visit.verdict.reason).toBe('session')
    revoke()
    await edge.runtime.advance(2001)
    for (const isolate of [0, 1])
      expect((await visited(edge, isolate, asked)).visit.verdict.reason).toBe('share')
  })

  it('is known after the first request where none was ended before, and that does not wait', async ({
    expect,
  }) => {
    const edge = new CalmEdge(1)
    await edge.untilCalm()
    const { asked, revoke } = await visitorOf(edge)
    // Just after a report and its answer: the next one is far away.
    edge.sent.reports = 0
    while (edge.sent.reports === 0) await visited(edge, 0)
    await edge.runtime.advance(150)
    revoke()
    await edge.runtime.advance(2001)
    const { visit, waitedMs } = await visited(edge, 0, asked)
    expect(visit.verdict.reason).toBe('session')
    expect(waitedMs).toBe(0)
    expect((await visited(edge, 0, asked)).visit.verdict.reason).toBe('share')
  })
})

describe('in calm, questions to the relay', () => {
  it('are about one in 1.25 s for a data centre, however many isolates it has, and none goes to the coordinator', async ({
    expect,
  }) => {
    const edge = new CalmEdge(5)
    await edge.untilCalm()
    const { sent, runtime } = edge
    Object.assign(sent, { reports: 0, questions: 0, toCoordinator: 0 })
    for (let i = 0; i < 150; i++) {
      void edge.visit(i % 5)
      await runtime.advance(400)
    }
    expect(sent.questions).toBeGreaterThan(20)
    expect(sent.questions).toBeLessThanOrEqual(60 / 1.25)
    expect(sent.toCoordinator).toBeLessThanOrEqual(sent.reports)
    // Every report goes on.
    expect(sent.reports).toBeLessThanOrEqual(5 * 7)
  })

  it('are shared by the draws of one moment', async ({ expect }) => {
    const edge = new CalmEdge(1)
    await edge.untilCalm()
    while (edge.sent.reports > 0) {
      edge.sent.reports = 0
      await edge.runtime.advance(1500)
    }
    edge.sent.questions = 0
    const visits = Array.from({ length: 5 }, () => edge.visit(0))
    await edge.runtime.advance(100)
    expect((await Promise.all(visits)).every(({ visit }) => !visit.isRefused)).toBe(true)
    expect(edge.sent.questions).toBe(1)
  })
})
