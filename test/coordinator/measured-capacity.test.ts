import { describe, it } from 'vitest'
import { CoordinatorCore } from '../../src/coordinator/coordinator-core.ts'
import { bucketOf } from '../../src/lib/histogram.ts'
import type { RouteSetup } from '../../src/protocol/feedback.ts'
import { feedbackOf, setupOf } from '../support/feedback.ts'

interface Second {
  readonly offered: number
  readonly admitted?: number
  readonly served: number
  readonly responseMs: number
}

/** A coordinator of one request route, and a way to show it seconds of traffic. */
function originWith(keys: Partial<RouteSetup>, learner = 'soc-lqr') {
  const core = new CoordinatorCore()
  const routes = { shop: { granularity: 'request', ...keys } as const }
  const setup = setupOf({ routes, learner: { name: learner, options: {} } })
  let second = 0
  let inFlight = 0
  const show = (seconds: number, { offered, admitted = offered, served, responseMs }: Second) => {
    for (let i = 0; i < seconds; i++) {
      second++
      inFlight += admitted - served
      const shown = {
        ...{ offered, admitted, requests: admitted, served, inFlight: Math.max(0, inFlight) },
        late: responseMs > 1000 ? served : 0,
        latencyUs: served * responseMs * 1000,
        latency: served > 0 ? [bucketOf(responseMs), served] : [],
      }
      const given = { seq: second, toMs: 1000 * second, setup }
      core.handle(feedbackOf({ shop: { default: shown } }, given), 1000 * second)
    }
  }
  return { core, show, status: () => core.status(1000 * second)[0]! }
}

describe('mode "observe" in front of an origin that drowns', () => {
  it('judges by the highest goodput in time before, and does not learn from the drowned origin', ({
    expect,
  }) => {
    const { show, status, core } = originWith({ mode: 'observe' })
    show(60, { offered: 80, served: 80, responseMs: 50 })
    const before = core.state!.learner
    // Ten times the load: it thrashes and answers a tenth, all late.
    show(60, { offered: 800, served: 25, responseMs: 20_000 })
    const { plan, learned } = status()
    expect(plan.reason).toBe('unprotected')
    expect(plan.limit).toBeGreaterThan(72)
    expect(plan.limit).toBeLessThan(82)
    expect(learned.requestsPerSecond).toBe(plan.limit)
    expect(core.state!.learner).toEqual(before)
    // When it is well again, the learner goes on.
    show(5, { offered: 40, served: 40, responseMs: 50 })
    expect(status().plan.reason).not.toBe('unprotected')
  })

  it('does not hold in "enforce", where the learner must see it', ({ expect }) => {
    const { show, core } = originWith({ mode: 'enforce' })
    show(60, { offered: 80, served: 80, responseMs: 50 })
    const before = core.state!.learner
    show(10, { offered: 800, served: 25, responseMs: 20_000 })
    expect(core.state!.learner).not.toEqual(before)
  })
})

describe('the status of what was learned', () => {
  it('has the limit with its unit, and in requests per second', ({ expect }) => {
    const { show, status } = originWith({}, 'fixed')
    show(5, { offered: 80, served: 80, responseMs: 50 })
    expect(status().learned).toMatchObject({ limit: { unit: 'requests/s' } })
    expect(status().learned.measuredPerSecond).toBeGreaterThan(40)
  })

  it.for([
    ['wrong', 80],
    ['confirmed', 160],
  ] as const)(
    'finds out within 30 s of overload that an announced doubling is %s',
    ([verdict, goodput], { expect }) => {
      const { core, show, status } = originWith({})
      show(30, { offered: 120, admitted: 80, served: 80, responseMs: 300 })
      core.announce({ before: 2, after: 4 })
      show(1, { offered: 200, admitted: 160, served: goodput, responseMs: 300 })
      expect(status().learned.announced[0]).toMatchObject({
        before: 2,
        after: 4,
        verdict: 'unproven',
      })
      show(12, { offered: 200, admitted: 160, served: goodput, responseMs: 300 })
      const [newest] = status().learned.announced
      expect(newest!.verdict).toBe(verdict)
      expect(newest!.text).toContain(`${goodput} requests/s in overload`)
    },
  )

  it('does not judge an announcement without overload', ({ expect }) => {
    const { core, show, status } = originWith({})
    show(30, { offered: 40, served: 40, responseMs: 50 })
    core.announce({ before: 1, after: 2 })
    show(60, { offered: 40, served: 40, responseMs: 50 })
    expect(status().learned.announced[0]!.verdict).toBe('unproven')
  })
})
