import fc from 'fast-check'
import { describe, it } from 'vitest'
import { mintPass, type PassOptions } from '../../src/entry/mint-pass.ts'
import { Gate } from '../../src/gate/gate.ts'
import { passRedirect } from '../../src/gate/pass-redirect.ts'
import type { Visit } from '../../src/gate/visit.ts'
import type { PassPort } from '../../src/protocol/pass-port.ts'
import { InProcessPasses } from '../../src/transport/in-process-passes.ts'
import { background, FakePort, FakeRuntime, START_MS } from '../support/fakes.ts'
import { type Planned, planOf, routesOf, SECRET, viewOf } from '../support/requests.ts'

const CLASSES = [
  { name: 'members', value: 10, match: { pass: true } },
  { name: 'guests', value: 1 },
]
const FULL: Planned = {
  drawLimit: 100,
  burst: 50,
  classes: { members: { probability: 1 }, guests: { probability: 0, rank: 1 } },
}

const minted = (given: Partial<PassOptions> = {}): string =>
  mintPass({
    secret: SECRET,
    route: 'shop',
    expires: new Date(START_MS + 3_600_000),
    ...given,
  })

/** A gate at which members are admitted and guests are not. */
async function gateWith(passes: PassPort | null, keys: object = {}) {
  const runtime = new FakeRuntime()
  const port = new FakePort()
  port.answer = async () => ({ plan: planOf(FULL), share: 1 })
  const gate = new Gate(
    { routes: routesOf({ classes: CLASSES, verdictHeader: true, ...keys }) },
    {
      secrets: { current: SECRET, previous: null },
      portFor: () => port,
      cache: null,
      runtime,
      sender: 'isolate 1',
      ipOf: () => null,
      passes,
    },
  )
  const { gate: route } = gate.enter(viewOf('/').request)!
  route.reporter.touch(background, runtime.now())
  await runtime.advance(1000)
  const ask = async (url: string, headers: Record<string, string> = {}): Promise<Visit> => {
    const entered = gate.enter(viewOf(url, { headers }).request)!
    return entered.gate.decide(entered.view, runtime.now())
  }
  return { gate, route, runtime, ask }
}

const answerTo = (visit: Visit, nowMs: number): Response =>
  visit.isRefused ? visit.refusal(nowMs) : visit.withGateHeaders(new Response('body'), nowMs)

/** The cookies that a browser would send back. */
const cookiesAfter = (answer: Response): string =>
  answer.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')

describe('a pass', () => {
  it('puts its visitor into its class: as a header, a cookie or a parameter', async ({
    expect,
  }) => {
    const { ask } = await gateWith(null)
    const pass = minted({ class: 'members' })
    expect((await ask('/')).verdict).toEqual({ kind: 'refuse', reason: 'share' })
    for (const visit of [
      await ask('/', { 'Tidegate-Pass': pass }),
      await ask('/', { Cookie: `a=1; tidegate-pass=${pass}` }),
      await ask(`/?tidegate-pass=${encodeURIComponent(pass)}`),
    ]) {
      expect(visit.verdict).toEqual({ kind: 'admit', reason: 'share' })
      expect(answerTo(visit, START_MS).headers.get('Tidegate-Verdict')).toContain('class=members')
    }
  })

  it('without a class meets the condition pass: true', async ({ expect }) => {
    const { ask } = await gateWith(null)
    expect((await ask('/', { 'Tidegate-Pass': minted() })).verdict.kind).toBe('admit')
  })

  it('that skips is admitted without a draw, in any class', async ({ expect }) => {
    const { ask } = await gateWith(null)
    const pass = minted({ class: 'guests', skip: true })
    const visit = await ask('/', { 'Tidegate-Pass': pass })
    expect(visit.verdict).toEqual({ kind: 'admit', reason: 'pass' })
  })

  it('is worth nothing on another route, after it expired, with another secret or an unknown class', async ({
    expect,
  }) => {
    const { ask } = await gateWith(null)
    for (const pass of [
      minted({ route: 'blog', skip: true }),
      minted({ expires: new Date(START_MS - 1), skip: true }),
      minted({ secret: 'another secret, which is long enough too', skip: true }),
      minted({ class: 'kings', skip: true }),
    ])
      expect((await ask('/', { 'Tidegate-Pass': pass })).verdict.kind).toBe('refuse')
  })

  it('that is forged or altered never helps', async ({ expect }) => {
    const { ask } = await gateWith(new InProcessPasses(() => START_MS))
    const real = minted({ class: 'guests', route: 'shop' })
    const edit = fc.record({
      at: fc.nat({ max: real.length - 1 }),
      to: fc.constantFrom(...'aZ09-_.%os'),
    })
    const forged = fc.oneof(
      fc.string({ maxLength: 80 }),
      fc.array(edit, { minLength: 1, maxLength: 5 }).map((edits) => {
        const letters = [...real]
        for (const { at, to } of edits) letters[at] = to
        return letters.join('')
      }),
      fc.nat({ max: real.length - 1 }).map((length) => real.substring(0, length)),
      fc.constantFrom('members', 'guests').map((name) => real.replace('guests', name)),
      fc.constantFrom('s', 'os').map((flags) => real.replace('..shop', `.${flags}.shop`)),
    )
    await fc.assert(
      fc.asyncProperty(forged, async (pass) => {
        const header = pass.replace(/[^\x20-\x7e]/g, 'x').trim()
        if (header === real) return
        const visit = await ask('/', { 'Tidegate-Pass': header })
        expect(visit.verdict.kind).toBe('refuse')
      }),
      { numRuns: 10_000 },
    )
  })

  it('is not needed, and costs no claim, while its visitor has a session', async ({ expect }) => {
    let claims = 0
    const counting: PassPort = {
      claim: async () => {
        claims++
        return { isGranted: true, displaced: null }
      },
    }
    const { ask, runtime } = await gateWith(counting)
    const pass = minted({ class: 'members', key: 'ann' })
    const first = answerTo(await ask('/', { 'Tidegate-Pass': pass }), runtime.now())
    const again = await ask('/', { Cookie: cookiesAfter(first), 'Tidegate-Pass': pass })
    expect(again.verdict.reason).toBe('session')
    expect(claims).toBe(1)
  })
})

describe('a pass for one use', () => {
  it('works for the first visitor, also when this one comes back, and for nobody else', async ({
    expect,
  }) => {
    const passes = new InProcessPasses(() => START_MS)
    const [berlin, sydney] = [await gateWith(passes), await gateWith(passes)]
    const pass = minted({ class: 'guests', once: true })
    const header = { 'Tidegate-Pass': pass }
    const refused = answerTo(await berlin.ask('/', header), START_MS)
    const Cookie = cookiesAfter(refused)
    expect(Cookie).toContain('-holder=')
    const skipping = { 'Tidegate-Pass': minted({ skip: true, once: true }) }
    expect((await berlin.ask('/', skipping)).verdict.reason).toBe('pass')
    expect((await sydney.ask('/', skipping)).verdict.kind).toBe('refuse')
    // The refused visitor still holds the first pass, the other one does not get it.
    const { route } = sydney
    const held = (headers: Record<string, string>) =>
      route.passes.claim(
        route.passes.find(viewOf('/', { headers }), START_MS)!,
        viewOf('/', { headers }),
        START_MS,
      )
    expect(await held(header)).toBeNull()
    expect(await held({ ...header, Cookie })).not.toBeNull()
  })
})

describe('a key', () => {
  it('holds one session at a time: the last device has it, the one before is out', async ({
    expect,
  }) => {
    const passes = new InProcessPasses(() => START_MS)
    const { ask, runtime, route } = await gateWith(passes)
    const header = { 'Tidegate-Pass': minted({ class: 'members', key: 'ann' }) }
    const phone = cookiesAfter(answerTo(await ask('/', header), runtime.now()))
    expect((await ask('/', { Cookie: phone })).verdict.reason).toBe('session')
    const desk = cookiesAfter(answerTo(await ask('/', header), runtime.now()))
    expect((await ask('/', { Cookie: desk })).verdict.reason).toBe('session')
    expect((await ask('/', { Cookie: phone })).verdict).toEqual({ kind: 'refuse', reason: 'share' })
    expect(route.origin.commands.hasUnsent).toBe(true)
  })

  it('keeps its place in the waiting room on another device, and the first device loses it', async ({
    expect,
  }) => {
    const passes = new InProcessPasses(() => runtime.now())
    const waiting = await gateWith(passes, { whenFull: 'queue' })
    const { ask, runtime } = waiting
    const header = { 'Tidegate-Pass': minted({ class: 'guests', key: 'ann' }) }
    const ticketOf = async (headers: Record<string, string>) => {
      const answer = answerTo(await ask('/', headers), runtime.now())
      const Cookie = cookiesAfter(answer)
      const { view } = waiting.gate.enter(viewOf('/', { headers: { Cookie } }).request)!
      const ticket = waiting.route.tickets!.read(view.cookies, null, true, runtime.now())
      return { ticket: ticket!, Cookie }
    }
    const phone = await ticketOf(header)
    await runtime.advance(120_000)
    const stranger = await ticketOf({})
    const desk = await ticketOf(header)
    expect(Math.floor(desk.ticket.keyS)).toBe(Math.floor(phone.ticket.keyS))
    expect(desk.ticket.keyS).toBeLessThan(stranger.ticket.keyS)
    expect(desk.ticket.id).not.toBe(phone.ticket.id)
    expect(waiting.route.origin.commands.isRevoked(phone.ticket.id)).toBe(true)
    await runtime.advance(700_000)
    const late = await ticketOf(header)
    expect(late.ticket.keyS).toBeGreaterThan(stranger.ticket.keyS)
  })

  it('of another visitor is not touched', async ({ expect }) => {
    const { ask, runtime } = await gateWith(new InProcessPasses(() => START_MS))
    const session = async (key: string): Promise<string> => {
      const header = { 'Tidegate-Pass': minted({ class: 'members', key }) }
      return cookiesAfter(answerTo(await ask('/', header), runtime.now()))
    }
    const [ann, bob] = [await session('ann'), await session('bob')]
    for (const Cookie of [ann, bob])
      expect((await ask('/', { Cookie })).verdict.reason).toBe('session')
  })

  it('that cannot be claimed in 250 ms makes its visitor one without a pass', async ({
    expect,
  }) => {
    for (const port of [
      { claim: () => new Promise<never>(() => {}) },
      { claim: () => Promise.reject(new Error('not now')) },
      null,
    ]) {
      const { ask, runtime } = await gateWith(port)
      const asked = ask('/', { 'Tidegate-Pass': minted({ class: 'members', key: 'ann' }) })
      await runtime.advance(251)
      expect((await asked).verdict.kind).toBe('refuse')
    }
  })
})

describe('a pass in the address', () => {
  const redirectOf = async (
    url: string,
    headers: Record<string, string> = { Accept: 'text/html' },
  ) => {
    const { gate } = await gateWith(null)
    return passRedirect(gate.enter(viewOf(url, { headers }).request)!.view, START_MS)
  }

  it('sends a browser to the address without it, with the pass as a cookie', async ({ expect }) => {
    const pass = minted({ class: 'members' })
    const redirect = await redirectOf(`/sale?a=1&tidegate-pass=${encodeURIComponent(pass)}&b=2`)
    expect(redirect!.status).toBe(303)
    expect(redirect!.headers.get('Location')).toBe('/sale?a=1&b=2')
    expect(redirect!.headers.get('Set-Cookie')).toBe(
      `tidegate-pass=${pass}; Path=/; Max-Age=3600; HttpOnly; SameSite=Lax; Secure`,
    )
    expect(redirect!.headers.get('Referrer-Policy')).toBe('no-referrer')
  })

  it('of another form sets no cookie', async ({ expect }) => {
    const redirect = await redirectOf('/sale?tidegate-pass=x%3B%20Domain%3Dexample.com')
    expect(redirect!.headers.get('Location')).toBe('/sale')
    expect(redirect!.headers.get('Set-Cookie')).toBeNull()
  })

  it('never leads to another host', async ({ expect }) => {
    const redirect = await redirectOf('https://shop.example.com//evil.example/?tidegate-pass=1')
    expect(new URL(redirect!.headers.get('Location')!, 'https://shop.example.com').host).toBe(
      'shop.example.com',
    )
  })

  it('of a program is used as it is, and the origin does not see it', async ({ expect }) => {
    const { gate } = await gateWith(null)
    const { view } = gate.enter(viewOf(`/sale?tidegate-pass=${minted()}&b=2`).request)!
    expect(passRedirect(view, START_MS)).toBeNull()
    expect(view.url.target).toBe('/sale?b=2')
  })
})

describe('mintPass', () => {
  it('says what is wrong', ({ expect }) => {
    const expires = new Date(START_MS)
    const wrong = [
      [{ secret: 'short' }, /secret: expected at least 32 characters/],
      [{ route: '' }, /route: expected the name of a route/],
      [{ class: '' }, /class: expected a text, got ""/],
      [{ expires: new Date(Number.NaN) }, /expires: expected a valid Date/],
      [{ key: 'k'.repeat(700) }, /key: expected a shorter text/],
    ] as const
    for (const [given, message] of wrong)
      expect(() => mintPass({ secret: SECRET, route: 'shop', expires, ...given })).toThrow(message)
  })
})
