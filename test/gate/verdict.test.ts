import { readFileSync } from 'node:fs'
import { describe, it } from 'vitest'
import { CoordinatorCore } from '../../src/coordinator/coordinator-core.ts'
import { mintPass } from '../../src/entry/mint-pass.ts'
import type { Visit } from '../../src/gate/visit.ts'
import { ADMIT, REFUSE, type Verdict } from '../../src/protocol/verdict.ts'
import { background, type FakeRuntime, refusing } from '../support/fakes.ts'
import {
  addressOf,
  Caller,
  decided,
  gateOf,
  retryCookieOf,
  sessionOf,
  retryCookieOf as ticketOf,
} from '../support/gates.ts'
import { type Planned, planOf, SECRET, viewOf } from '../support/requests.ts'

const REFUSE_ALL: Planned = { drawLimit: 0, classes: { default: { probability: 0 } } }
const LOAD = { servers: 1, serviceMs: 900, inFlight: 0, queueingMs: 0 }
const BATCH = { police: 'batch', granularity: 'request', fairness: false }
const WIDE: Planned = { drawLimit: 100, burst: 50, load: LOAD }

/** Tickets up to this key are let in, and somebody waits. */
const queueUpTo = (watermark: number): Planned => ({
  drawLimit: 0,
  classes: {
    default: {
      probability: 0,
      queue: {
        ...{
          watermark,
          isDirect: false,
          limit: null,
          bucketS: 1,
          ahead: [watermark, 0, watermark + 1, 5],
        },
        ...{ rate: 1, leaving: 0, low: 0.8, high: 1.2 },
      },
    },
  },
})

/** A request for each verdict. */
const WAYS: Readonly<Record<string, () => Promise<Asked>>> = {
  'admit bypass': () => asked({ bypass: [{ path: '/' }] }, REFUSE_ALL),
  'admit off': () => asked({ mode: 'off' }, REFUSE_ALL),
  'admit session': async () => {
    const { route, visit, runtime } = await asked({}, {})
    const view = viewOf('/', { headers: { Cookie: sessionOf(visit, runtime.now()) } })
    return { route, runtime, visit: decided(route, view, runtime.now()) }
  },
  'admit preflight': async () => {
    const { route, runtime } = await asked({}, REFUSE_ALL)
    const headers = { Origin: 'https://a.example', 'Access-Control-Request-Method': 'PUT' }
    route.origin.countersOf('shop').drain()
    const visit = decided(route, viewOf('/', { method: 'OPTIONS', headers }), runtime.now())
    return { route, runtime, visit }
  },
  'admit pass': async () => {
    const { route, runtime } = await asked({}, REFUSE_ALL)
    route.origin.countersOf('shop').drain()
    const expires = new Date(runtime.now() + 1000)
    const pass = mintPass({ secret: SECRET, route: 'shop', expires, skip: true })
    const view = viewOf('/', { headers: { 'Tidegate-Pass': pass } })
    return { route, runtime, visit: decided(route, view, runtime.now()) }
  },
  'admit guaranteed': () =>
    asked(
      {},
      { drawLimit: 0, classes: { default: { guaranteed: 5, conforming: 1, probability: 0 } } },
    ),
  'admit share': () => asked({}, {}),
  'admit ticket': async () => {
    const { route, runtime, visit } = await asked({ whenFull: 'queue' }, queueUpTo(0))
    const ticket = ticketOf(visit, runtime.now())
    await runtime.advance(5000)
    route.origin.follow(planOf(queueUpTo(runtime.now() / 1000)), { share: 1 }, runtime.now())
    const view = viewOf('/', { headers: { Cookie: ticket } })
    return { route, runtime, visit: decided(route, view, runtime.now()) }
  },
  'admit batch': () => asked(BATCH, WIDE),
  'admit startup': () => asked({}, null),
  'admit open': () => cutOff('open'),
  'admit local': () => cutOff('local'),
  'refuse share': () => asked({}, REFUSE_ALL),
  'refuse batch': async () => {
    // The plan refuses a part of the class, so nobody waits for the end of a burst.
    const plan = { ...WIDE, classes: { default: { probability: 0.9 } } }
    const { route, runtime, visit } = await asked(BATCH, plan)
    visit.begin(runtime.now())
    return { route, runtime, visit: await decide(route, runtime.now()) }
  },
  'refuse early': async () => {
    const { route, runtime, visit } = await asked({}, REFUSE_ALL)
    const view = viewOf('/', { headers: { Cookie: retryCookieOf(visit, runtime.now()) } })
    return { route, runtime, visit: decided(route, view, runtime.now()) }
  },
  'refuse fairness': async () => {
    const { gate, route, runtime } = await gateOf(
      { verdictHeader: true, fairness: { minAdmissions: 1 } },
      { classes: { default: { probability: 0.5 } } },
    )
    const hog = new Caller(gate, { ip: '203.0.113.9', keepsCookies: false })
    const others = Array.from({ length: 9 }, (_, i) => ({ ip: addressOf(i), keepsCookies: false }))
    for (const visitor of others) new Caller(gate, visitor).ask(runtime.now())
    let visit = hog.visit(runtime.now())
    for (let i = 0; i < 50 && visit.verdict.reason !== 'fairness'; i++)
      visit = hog.visit(runtime.now())
    return { route, runtime, visit }
  },
  'refuse full': async () => {
    const { route, runtime, visit } = await asked({}, { inFlightCap: 1 })
    visit.begin(runtime.now())
    return { route, runtime, visit: await decide(route, runtime.now()) }
  },
  'refuse event': () =>
    asked({ waitingRoom: { events: [{ name: 'end', closes: '1970-01-01T00:00Z' }] } }, {}),
  'refuse sold-out': () => asked({}, { soldOut: true }),
  'refuse uploads': async () => {
    const { route, runtime } = await asked({ upload: { maxOpen: 1 } }, {})
    const upload = viewOf('/', { method: 'POST', headers: { 'Content-Length': '100000' } })
    route.openUpload(upload)
    return { route, runtime, visit: decided(route, upload, runtime.now()) }
  },
  'refuse startup': () => asked({ startup: 'refuse' }, null),
  'refuse closed': () => cutOff('closed'),
  'refuse local': async () => {
    const { route, runtime } = await cutOff('local')
    let visit = await decide(route, runtime.now())
    for (let i = 0; i < 100 && visit.verdict.kind === 'admit'; i++)
      visit = await decide(route, runtime.now())
    return { route, runtime, visit }
  },
}

type Gated = Awaited<ReturnType<typeof gateOf>>
type Asked = Pick<Gated, 'route' | 'runtime'> & { readonly visit: Visit }

/** A draw without a plan waits for one. */
const decide = async (route: Gated['route'], nowMs: number): Promise<Visit> => {
  const decided = route.decide(viewOf('/'), nowMs)
  if (decided instanceof Promise) await (route.runtime as FakeRuntime).advance(100)
  return decided
}

/** One request at a gate with this plan; null: before the first plan. */
async function asked(keys: object, plan: Planned | null): Promise<Asked> {
  const { route, runtime } = await gateOf({ verdictHeader: true, ...keys }, plan, 1)
  await runtime.advance(1000)
  return { route, runtime, visit: await decide(route, runtime.now()) }
}

/** One request at a gate that cannot reach its coordinator. */
async function cutOff(failure: string): Promise<Asked> {
  const { route, runtime, port } = await gateOf({ verdictHeader: true, failure }, {})
  port.answer = refusing
  for (let i = 0; i < 50; i++) {
    route.reporter.touch(background, runtime.now())
    await runtime.advance(100)
  }
  return { route, runtime, visit: await decide(route, runtime.now()) }
}

function answerTo({ runtime, visit }: Asked): Response {
  return visit.isRefused
    ? visit.refusal(runtime.now())
    : visit.withGateHeaders(new Response('body'), runtime.now())
}

const ALL_WORDS = [ADMIT, REFUSE].flatMap((verdicts) =>
  Object.values<Verdict>(verdicts).map(({ kind, reason }) => [kind, reason] as const),
)
/** A fault is no decision: fault.test.ts shows its verdicts. */
const WORDS = ALL_WORDS.filter(([, reason]) => reason !== 'fault')
const DOCS = readFileSync(new URL('../../docs/policing.md', import.meta.url), 'utf8')

describe('the reasons of verdicts', () => {
  it('are exactly those in this test', ({ expect }) => {
    expect(Object.keys(WAYS).sort()).toEqual(WORDS.map((words) => words.join(' ')).sort())
  })

  it('are those of the table in docs/policing.md', ({ expect }) => {
    const rows = DOCS.matchAll(/^\| (admit|refuse) \| `([a-z-]+)` \|/gm)
    const documented = [...rows].map(([, kind, reason]) => `${kind} ${reason}`)
    expect(documented.sort()).toEqual(ALL_WORDS.map((words) => words.join(' ')).sort())
  })
})

describe('the verdict header', () => {
  it('is sent only if the route wants it', async ({ expect }) => {
    for (const plan of [{}, REFUSE_ALL]) {
      const answer = answerTo(await asked({ verdictHeader: false }, plan))
      expect(answer.headers.has('Tidegate-Verdict')).toBe(false)
    }
  })
})

describe.for(WORDS)('the verdict "%s; reason=%s"', ([kind, reason]) => {
  const way = WAYS[`${kind} ${reason}`]!

  it('is given', async ({ expect }) => {
    expect((await way()).visit.verdict).toEqual({ kind, reason })
  })

  it('is in the header, and in the answer of a refusal', async ({ expect }) => {
    const answer = answerTo(await way())
    expect(answer.headers.get('Tidegate-Verdict')).toMatch(
      new RegExp(`^${kind}; reason=${reason}; route=shop`),
    )
    if (kind === 'refuse') expect(await answer.json()).toMatchObject({ reason })
  })

  it('is counted under its reason, unless the request is not counted', async ({ expect }) => {
    const { route } = await way()
    const { admits, refusals } = route.origin.countersOf('shop').drain().classes.default!
    const count = (kind === 'admit' ? admits : refusals)[reason] ?? 0
    expect(count > 0).toBe(!['bypass', 'off', 'preflight'].includes(reason))
  })
})

describe('the figures of a route', () => {
  it('have the verdicts by reason', async ({ expect }) => {
    const { route, runtime, port } = await gateOf({}, REFUSE_ALL)
    const core = new CoordinatorCore()
    port.answer = async (feedback) => core.handle(feedback, runtime.now())
    for (let i = 0; i < 20; i++) {
      route.reporter.touch(background, runtime.now())
      await decide(route, runtime.now())
      await runtime.advance(100)
    }
    core.tick(runtime.now())
    const [{ lastMinute }] = core.status() as [ReturnType<CoordinatorCore['status']>[number]]
    expect(Object.keys(lastMinute.refusals)).toContain('share')
    expect(lastMinute.classes.default!.refusals.share).toBeGreaterThan(0)
  })
})
