import fc from 'fast-check'
import { describe, it } from 'vitest'
import {
  commandedAfter,
  NOTHING_COMMANDED,
  withoutExpired,
} from '../../src/coordinator/command-state.ts'
import { CoordinatorCore } from '../../src/coordinator/coordinator-core.ts'
import { isCommands, mergeCommands, type OriginCommands } from '../../src/protocol/commands.ts'
import { feedbackOf, setupOf } from '../support/feedback.ts'

const ROUTES = new Set(['shop'])
const mark = fc.constantFrom('aaaaaaaa', 'bbbbbbbb', 'cccccccc')
const commands: fc.Arbitrary<OriginCommands> = fc.record(
  {
    stock: fc.dictionary(
      fc.constantFrom('shop', 'blog'),
      fc.record({ left: fc.nat({ max: 2 }), atMs: fc.nat({ max: 5 }) }),
      { noNullPrototype: true, minKeys: 1 },
    ),
    revoked: fc.dictionary(mark, fc.nat({ max: 9 }), { noNullPrototype: true, minKeys: 1 }),
  },
  { requiredKeys: [], noNullPrototype: true },
)

describe('commands of an origin', () => {
  it('merge in any order and grouping, and a repeated one changes nothing', ({ expect }) => {
    fc.assert(
      fc.property(commands, commands, commands, (a, b, c) => {
        expect(mergeCommands(a, b)).toEqual(mergeCommands(b, a))
        expect(mergeCommands(mergeCommands(a, b), c)).toEqual(mergeCommands(a, mergeCommands(b, c)))
        expect(mergeCommands(a, a)).toEqual(a)
        expect(isCommands(mergeCommands(a, b))).toBe(true)
      }),
    )
  })

  it('of a later time count: sold out, then something left, then sold out', ({ expect }) => {
    const said = (left: number, atMs: number): OriginCommands => ({
      stock: { shop: { left, atMs } },
    })
    const steps = [said(0, 10), said(3, 20), said(0, 15)]
    const after = steps.reduce(
      (state, step) => commandedAfter(state, step, ROUTES),
      NOTHING_COMMANDED,
    )
    expect(after.stock).toEqual({ shop: { left: 3, atMs: 20 } })
  })

  it('for routes that do not exist are dropped', ({ expect }) => {
    const other = { stock: { blog: { left: 0, atMs: 1 } } }
    expect(commandedAfter(NOTHING_COMMANDED, other, ROUTES).stock).toEqual({})
  })

  it('are bounded: of 3000 revoked sessions those that stay valid longest are kept', ({
    expect,
  }) => {
    const many = Array.from({ length: 3000 }, (_, i) => [`s${i}`, i + 1])
    const { revoked } = commandedAfter(
      NOTHING_COMMANDED,
      { revoked: Object.fromEntries(many) as Record<string, number> },
      ROUTES,
    )
    expect(Object.keys(revoked!)).toHaveLength(2000)
    expect(Object.keys(revoked!)).toContain('s2999')
    expect(Object.keys(revoked!)).not.toContain('s999')
  })

  it('are forgotten when the cookie would have expired', ({ expect }) => {
    const state = { stock: {}, revoked: { old: 5, young: 15 } }
    expect(withoutExpired(state, 10).revoked).toEqual({ young: 15 })
  })

  it('with absurd contents are no valid report', ({ expect }) => {
    for (const wrong of [
      { stock: { shop: { left: -1, atMs: 0 } } },
      { stock: { shop: 0 } },
      { revoked: { 'a mark with spaces': 1 } },
      { revoked: { aaaaaaaa: Number.NaN } },
      { other: {} },
    ])
      expect(isCommands(wrong), JSON.stringify(wrong)).toBe(false)
  })
})

describe('a coordinator that gets a command', () => {
  const NOW = 1_800_000_000_000
  function told(given: OriginCommands) {
    const core = new CoordinatorCore()
    core.handle(feedbackOf({ shop: {} }, { setup: setupOf(), toMs: NOW }), NOW)
    const before = core.plan!
    const { plan } = core.handle(
      { ...feedbackOf({ shop: {} }, { seq: 1, toMs: NOW + 100, lengthMs: 100 }), commands: given },
      NOW + 100,
    )
    return { core, before, plan: plan! }
  }

  it('has it in the plan at once, before the next tick', ({ expect }) => {
    const { core, before, plan } = told({
      stock: { shop: { left: 0, atMs: NOW } },
      revoked: { aaaaaaaa: NOW + 5000 },
    })
    expect(before.routes.shop).not.toHaveProperty('soldOut')
    expect(plan).toMatchObject({ seq: before.seq + 1, revoked: { aaaaaaaa: NOW + 5000 } })
    expect(plan.routes.shop!.soldOut).toBe(true)
    expect(core.takeNews()).toBe(true)
    expect(core.takeNews()).toBe(false)
  })

  it('keeps it over ticks and restarts', ({ expect }) => {
    const { core } = told({ stock: { shop: { left: 0, atMs: NOW } } })
    core.handle(feedbackOf({ shop: {} }, { seq: 2, toMs: NOW + 1100 }), NOW + 1100)
    expect(core.plan!.routes.shop!.soldOut).toBe(true)
    const restarted = new CoordinatorCore(JSON.parse(JSON.stringify(core.state)))
    expect(restarted.warning).toBeNull()
    expect(restarted.plan!.routes.shop!.soldOut).toBe(true)
  })

  it('takes it back when something is left again', ({ expect }) => {
    const { core } = told({ stock: { shop: { left: 0, atMs: NOW } } })
    core.command({ stock: { shop: { left: 7, atMs: NOW + 500 } } }, NOW + 500)
    expect(core.plan!.routes.shop).not.toHaveProperty('soldOut')
  })
})
