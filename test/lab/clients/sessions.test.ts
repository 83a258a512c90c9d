import { describe, it } from 'vitest'
import { poisson } from '../../../lab/clients/arrivals.ts'
import type { ClientGate, Clients, ClientsFactory, Sending } from '../../../lab/clients/clients.ts'
import { shopSession } from '../../../lab/clients/phases.ts'
import { constantRate } from '../../../lab/clients/rates.ts'
import { SHOP_THINK, sessions } from '../../../lab/clients/sessions.ts'
import { Agenda } from '../../../lab/engine/agenda.ts'
import { deterministic } from '../../../lab/engine/distributions.ts'
import { streams } from '../../../lab/engine/random.ts'
import { FAILED, type Outcome, Requests, SERVED } from '../../../lab/engine/requests.ts'
import type { World } from '../../../lab/origins/origin.ts'

/** A gate that admits all and answers after a second; every n-th request fails. */
function visit(
  factory: ClientsFactory,
  { seconds, failEvery = 0 }: { seconds: number; failEvery?: number },
) {
  const world: World = { agenda: new Agenda(), requests: new Requests(), random: streams(1) }
  const { agenda, requests } = world
  const sent: (Sending & { readonly atMs: number })[] = []
  const ends = { completed: 0, abandoned: 0, broken: 0 }
  const answers = agenda.register({
    handle(_kind, id) {
      const outcome: Outcome = failEvery > 0 && sent.length % failEvery === 0 ? FAILED : SERVED
      clients.answered(id, outcome)
      requests.close(id)
    },
  })
  let asked = 0
  const gate: ClientGate = {
    ask() {
      asked++
      return 0
    },
    send(sending) {
      sent.push({ ...sending, atMs: agenda.nowMs })
      const id = requests.open(agenda.nowMs, sending)
      agenda.schedule(agenda.nowMs + sending.demandMs, answers, 0, id)
      return id
    },
    abandon() {},
    sessionOver(end) {
      ends[end]++
    },
  }
  const clients: Clients = factory(world, gate)
  clients.start()
  agenda.runUntil(seconds * 1000)
  return { sent, ends, asked, active: clients.activeSessions }
}

const shop = (tiers: { http: number; servlet: number; database: number }) =>
  sessions({
    arrivals: poisson(constantRate(2)),
    phases: shopSession(tiers),
    demands: [1000, 10, 1].map((value) => deterministic({ value })),
    think: SHOP_THINK,
  })

describe("the shop's sessions (Bartolini et al. 2009, §7; SPECweb2005 E-commerce)", () => {
  it('have 13.67 pages, of which 9.74 use the database', ({ expect }) => {
    const all = visit(shop({ http: 2, servlet: 1, database: 0 }), { seconds: 20_000 })
    const over = all.ends.completed
    const database = all.sent.filter(({ tier }) => tier === 0).length
    // 40 000 sessions with a standard deviation of about 11 pages: ± 0.17 is three standard errors.
    // Sessions in progress at the end are 0.7 % of all, and half done.
    expect(Math.abs(all.sent.length / over - 13.67)).toBeLessThan(0.25)
    expect(Math.abs(database / over - 9.74)).toBeLessThan(0.2)
  })

  it('use the database at a mean age of 120 s', ({ expect }) => {
    const { sent } = visit(shop({ http: -1, servlet: -1, database: 0 }), { seconds: 20_000 })
    const mean = sent.reduce((sum, { ageMs }) => sum + ageMs, 0) / sent.length
    expect(Math.abs(mean / 1000 - 120)).toBeLessThan(10)
  })

  it('think for at least 1 s and 10.05 s on average: max{−log(r) 10 s, 1 s}', ({ expect }) => {
    const random = streams(1)('think')
    const thinks = Array.from({ length: 100_000 }, () => SHOP_THINK.draw(random))
    const mean = thinks.reduce((sum, ms) => sum + ms, 0) / thinks.length
    expect(thinks.every((ms) => ms >= 1000)).toBe(true)
    expect(SHOP_THINK.mean).toBeCloseTo(10_048.4, 1)
    expect(Math.abs(mean - SHOP_THINK.mean)).toBeLessThan(130) // four standard errors
  })

  it('have all ended or are in progress: none is lost', ({ expect }) => {
    const { asked, active, ends } = visit(shop({ http: -1, servlet: -1, database: 0 }), {
      seconds: 2000,
      failEvery: 50,
    })
    expect(ends.broken).toBeGreaterThan(0)
    expect(ends.completed + ends.abandoned + ends.broken + active).toBe(asked)
  })
})
