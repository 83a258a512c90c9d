import { describe, it } from 'vitest'
import { CoordinatorCore } from '../../../src/coordinator/coordinator-core.ts'
import { EMPTY_QUEUE, type QueueState } from '../../../src/coordinator/queue/class-queue.ts'
import {
  drawLimitBeside,
  queuesAfter,
  withQueue,
} from '../../../src/coordinator/queue/queue-rates.ts'
import { cellName, slotOf } from '../../../src/protocol/queue-plan.ts'
import { CLASS, feedbackOf, routesFeedback, setupOf } from '../../support/feedback.ts'

const START_S = 1_700_000_000
const LIMIT = 20
/** Visitors come back after 3 to 5 seconds, as the page refreshes itself with jitter. */
const EVERY_S = [4, 3, 5, 4, 5, 3, 3, 5]
const LONGEST_S = 5

interface Visitor {
  readonly keyS: number
  nextS: number
  slot: number
  isPlaced: boolean
}

/** The visitors of one class at one isolate, which always has the newest plan. */
class Crowd {
  readonly entered: number[] = []
  readonly watermarks: number[] = []
  readonly name: string
  readonly #arriving: (second: number) => number
  #waiting: Visitor[] = []
  #refreshes = 0
  #drawn = 0
  #allowed = 0

  constructor(name: string, arriving: (second: number) => number) {
    this.name = name
    this.#arriving = arriving
  }

  get waiting(): number {
    return this.#waiting.length
  }

  /** One second: who has a ticket that is called enters, then new visitors are drawn. Returns the report. */
  second(second: number, core: CoordinatorCore) {
    const nowS = START_S + second
    const plan = core.plan?.routes.shop?.classes[this.name]
    const { queue, probability = 1, conforming = 0 } = plan ?? {}
    const places: Record<string, number> = {}
    const fresh: Record<string, number> = {}
    const bucketS = core.state?.queues[`shop/${this.name}`]?.counts.widthS ?? 1
    const add = (visitor: Visitor, change: number): void => {
      const to = visitor.isPlaced ? places : fresh
      const cell = cellName(visitor.keyS, bucketS, visitor.slot)
      to[cell] = (to[cell] ?? 0) + change
    }
    const waits = (visitor: Visitor): void => {
      visitor.nextS = nowS + EVERY_S[this.#refreshes++ % EVERY_S.length]!
      visitor.slot = slotOf(nowS + 2 * LONGEST_S + 1)
      add(visitor, 1)
    }
    let [byTicket, returned] = [0, 0]
    const limit = queue?.limit ?? 0
    this.#allowed = Math.min(2 * limit, this.#allowed + limit)
    this.#waiting = this.#waiting.filter((visitor) => {
      if (visitor.nextS !== nowS) return true
      add(visitor, -1)
      if (!visitor.isPlaced) returned++
      if ((!queue || visitor.keyS <= queue.watermark) && this.#allowed >= 1) {
        this.#allowed--
        byTicket++
        return false
      }
      visitor.isPlaced = true
      waits(visitor)
      return true
    })
    const offered = this.#arriving(second)
    this.#drawn += offered * (conforming + (1 - conforming) * probability)
    const drawn = Math.min(offered, Math.floor(this.#drawn))
    this.#drawn -= drawn
    for (let i = drawn; i < offered; i++) {
      const visitor = { keyS: nowS + i / offered, nextS: 0, slot: 0, isPlaced: false }
      waits(visitor)
      this.#waiting.push(visitor)
    }
    const admitted = drawn + byTicket
    this.entered.push(admitted)
    if (queue) this.watermarks[second] = queue.watermark
    return { offered, admitted, byTicket, returned, places, fresh }
  }

  /** Entries per second on average. */
  rate(fromS: number, untilS: number): number {
    const entered = this.entered.slice(fromS, untilS)
    return entered.reduce((sum, count) => sum + count, 0) / entered.length
  }
}

/** For 20 s more members come than may enter. Visitors always come, more than may enter. */
function play(guaranteed = 0, seconds = 100) {
  const classes = [
    { ...CLASS, name: 'members', value: 10 },
    { ...CLASS, name: 'visitors', value: 1, guaranteed },
  ]
  const learner = { name: 'fixed', options: { limit: LIMIT } }
  const setup = setupOf({ learner, routes: { shop: { classes } } })
  const members = new Crowd('members', (second) => (second < 20 ? 40 : 0))
  const visitors = new Crowd('visitors', () => 30)
  const core = new CoordinatorCore()
  let membersUntilS = 0
  for (let second = 0; second < seconds; second++) {
    const counts = {
      members: members.second(second, core),
      visitors: visitors.second(second, core),
    }
    const toMs = (START_S + second) * 1000
    core.handle(feedbackOf({ shop: counts }, { seq: second + 1, toMs, setup }), toMs)
    if (members.waiting > 0) membersUntilS = second
  }
  return { core, members, visitors, membersUntilS }
}

describe('two classes in the waiting room', () => {
  it('have a watermark each: the better class enters first, then the other', ({ expect }) => {
    const { members, visitors, membersUntilS } = play()
    // 800 members at 20 a second.
    expect(membersUntilS).toBeGreaterThan(30)
    expect(membersUntilS).toBeLessThan(55)
    expect(members.rate(10, 35) / LIMIT).toBeGreaterThan(0.9)
    expect(visitors.rate(10, 35) / LIMIT).toBeLessThan(0.1)
    // Members who came after them are called before visitors.
    expect(members.watermarks[30]! - visitors.watermarks[30]!).toBeGreaterThan(5)
    const after = visitors.rate(membersUntilS + 10, 100) / LIMIT
    expect(after).toBeGreaterThan(0.9)
    expect(after).toBeLessThan(1.1)
  })

  it('together keep to the limit', ({ expect }) => {
    for (const guaranteed of [0, 5]) {
      const { members, visitors } = play(guaranteed)
      const both = (members.rate(10, 100) + visitors.rate(10, 100)) / LIMIT
      expect(both).toBeGreaterThan(0.95)
      expect(both).toBeLessThan(1.05)
    }
  })

  it('have their guaranteed rates while a better class waits', ({ expect }) => {
    const { members, visitors } = play(5)
    expect(visitors.rate(10, 40)).toBeGreaterThan(4.5)
    expect(visitors.rate(10, 40)).toBeLessThan(5.5)
    expect(members.rate(10, 40)).toBeGreaterThan(13.5)
    expect(members.rate(10, 40)).toBeLessThan(16.5)
  })
})

const plan = { probability: 0.5, guaranteed: 0, conforming: 0, cost: 1, rank: 0 }

/** So many places of one second. A part of them is called. */
const roomOf = (places: number, called: number): QueueState => {
  const shop = routesFeedback({
    shop: { default: { places: { [cellName(START_S, 1, slotOf(START_S + 60))]: places } } },
  })
  const tick = { rates: { 'shop/default': 0 }, seconds: 1, nowMs: (START_S + 10) * 1000 }
  const room = queuesAfter({}, setupOf(), shop, tick)['shop/default']!
  return { ...room, mark: { ...room.mark, called }, isDirect: called >= places }
}

describe('the plan of a class with a waiting room', () => {
  it('is as without one while nobody has a ticket', ({ expect }) => {
    const share = { plan, arrivals: 20, rate: 10 }
    expect(withQueue({ ...share, queue: undefined })).toBe(plan)
    expect(withQueue({ ...share, queue: EMPTY_QUEUE })).toBe(plan)
  })

  it('draws nobody while somebody waits beyond the watermark', ({ expect }) => {
    const guaranteed = { ...plan, guaranteed: 5, conforming: 0.25 }
    const made = withQueue({ plan: guaranteed, queue: roomOf(100, 10), arrivals: 20, rate: 10 })
    expect(made).toMatchObject({ probability: 0, conforming: 0, guaranteed: 5 })
    expect(made.queue).toMatchObject({ isDirect: false, limit: 10 })
    // Also where there would be room for everybody.
    const roomy = { plan: { ...plan, probability: 1 }, queue: roomOf(100, 10), arrivals: 20 }
    for (const rate of [200, null]) expect(withQueue({ ...roomy, rate }).probability).toBe(0)
  })

  it('draws for what called tickets leave, of the guarantee, too', ({ expect }) => {
    const queue = roomOf(9, 9)
    const byTicket = (9 * queue.estimates.shows) / 3
    const made = withQueue({ plan, queue, arrivals: 20, rate: 10 })
    expect(made.probability).toBeCloseTo((10 - byTicket) / 20)
    const kept = { ...plan, guaranteed: 5, conforming: 0.25 }
    const { conforming, probability } = withQueue({ plan: kept, queue, arrivals: 20, rate: 10 })
    expect(conforming).toBeCloseTo((5 - byTicket) / 20)
    expect(conforming * 20 + (1 - conforming) * probability * 20).toBeCloseTo(10 - byTicket)
  })
})

describe('the limit of draws beside tickets', () => {
  const limits = (guaranteed: number, cost: number) =>
    drawLimitBeside(
      { drawLimit: 20, classes: { a: { ...plan, guaranteed, cost }, b: plan } },
      { a: roomOf(100, 10) },
      { a: 6, b: 14 },
    )

  it('is less by what tickets take beyond the guarantee of their class', ({ expect }) => {
    expect(limits(0, 1)).toBe(14)
    expect(limits(4, 1)).toBe(18)
    expect(limits(0, 2)).toBe(8)
    expect(limits(0, 10)).toBe(0)
  })

  it('of a class that is limited by itself is its own, and the others keep theirs', ({
    expect,
  }) => {
    const own = { drawLimit: 8, inFlightCap: null, burst: 3 }
    const apart = { ...plan, own }
    const made = withQueue({ plan: apart, queue: roomOf(100, 10), arrivals: 20, rate: 6 })
    expect(made.own).toEqual({ ...own, drawLimit: 2 })
    const allocation = { drawLimit: 20, classes: { a: apart, b: plan } }
    expect(drawLimitBeside(allocation, { a: roomOf(100, 10) }, { a: 6, b: 14 })).toBe(20)
  })

  it('is none where there is no limit', ({ expect }) => {
    expect(
      drawLimitBeside({ drawLimit: null, classes: { a: plan } }, { a: roomOf(9, 1) }, {}),
    ).toBe(null)
  })
})

describe('the waiting rooms after a tick', () => {
  it('are those of classes in which somebody waits, each at its own rate', ({ expect }) => {
    const classes = ['a', 'b', 'c'].map((name) => ({ ...CLASS, name }))
    const setup = setupOf({ routes: { shop: { classes } } })
    const waiting = { places: { [cellName(START_S, 1, slotOf(START_S + 60))]: 300 } }
    const shop = routesFeedback({ shop: { a: waiting, b: waiting, c: {} } })
    const tick = { rates: { 'shop/a': 20, 'shop/b': 2 }, seconds: 1 }
    const after = queuesAfter({}, setup, shop, { ...tick, nowMs: (START_S + 10) * 1000 })
    expect(Object.keys(after)).toEqual(['shop/a', 'shop/b'])
    const { called: fast } = after['shop/a']!.mark
    const { called: slow } = after['shop/b']!.mark
    expect(slow).toBeGreaterThan(0)
    expect(fast / slow).toBeCloseTo(10)
    // An empty room stays, because its estimates stay.
    const later = queuesAfter(after, setup, {}, { ...tick, nowMs: (START_S + 100) * 1000 })
    expect(Object.keys(later)).toEqual(['shop/a', 'shop/b'])
  })
})
