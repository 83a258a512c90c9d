import { describe, it } from 'vitest'
import { SessionRates } from '../../src/admission/session-rates.ts'
import { DEFAULTS } from '../../src/config/defaults.ts'

const START = 1_000_000
const ratesOf = (keys: object = {}) =>
  new SessionRates({ ...DEFAULTS.session, cookie: 'gate', ...keys }, 0.3, START)

/** How many of `perSecond` requests a second pass in the last of these seconds. */
function passes(rates: SessionRates, perSecond: number, seconds: number, range: number | null) {
  let passed = 0
  for (let i = 0; i < perSecond * seconds; i++) {
    const nowMs = START + (i * 1000) / perSecond
    const isIn = rates.use('one session', range, nowMs, false) !== 'over'
    if (isIn && nowMs >= START + (seconds - 1) * 1000) passed++
  }
  return passed
}

describe('the rate of an admitted session', () => {
  it('may have the burst of a page with 250 images', ({ expect }) => {
    const rates = ratesOf()
    for (let i = 0; i < 250; i++) expect(rates.use('visitor', null, START, false)).not.toBe('over')
  })

  it('is bounded at 20/s by default, however many more are sent', ({ expect }) => {
    expect(passes(ratesOf(), 15, 120, null)).toBe(15)
    expect(Math.abs(passes(ratesOf(), 200, 120, null) - 20)).toBeLessThanOrEqual(1)
  })

  it('is another session’s own: 2000 busy visitors do not disturb each other', ({ expect }) => {
    const rates = ratesOf()
    let refused = 0
    // Two requests a second each, 4000 requests/s in one isolate.
    for (let second = 0; second < 30; second++)
      for (let visitor = 0; visitor < 2000; visitor++)
        for (const part of [0, 500])
          if (rates.use(`visitor ${visitor}`, null, START + second * 1000 + part, false) === 'over')
            refused++
    expect(refused).toBe(0)
  })

  it('is bounded by address range only where the route says so', ({ expect }) => {
    const off = ratesOf({ maxRate: 0 })
    expect(off.needsRange).toBe(false)
    expect(passes(off, 500, 10, 7)).toBe(500)
    const on = ratesOf({ maxRate: 0, maxRangeRate: 100 })
    let passed = 0
    for (let i = 0; i < 60_000; i++)
      if (on.use(`session ${i}`, 7, START + i * 2, false) !== 'over' && i >= 59_500) passed++
    expect(Math.abs(passed - 100)).toBeLessThanOrEqual(2)
    // An unknown address is not bounded.
    expect(on.use('session', null, START + 120_000, false)).not.toBe('over')
  })
})

describe('while visitors are refused', () => {
  /** Visitors with so many requests each, one visitor after the other; then one that asks 60 times a second. */
  function under(perVisitor: number): { passed: number; heavy: number } {
    const rates = ratesOf()
    let nowMs = START
    for (let visitor = 0; visitor < 500; visitor++)
      for (let i = 0; i < perVisitor; i++) {
        nowMs += 10
        if (rates.use(`visitor ${visitor}`, null, nowMs, true) === 'over')
          throw new Error('a usual visitor was refused')
      }
    let [passed, heavy] = [0, 0]
    for (let i = 0; i < 60 * 35; i++) {
      const use = rates.use('passed around', null, nowMs + (i * 1000) / 60, true)
      if (use !== 'over') passed++
      if (use === 'heavy') heavy++
    }
    return { passed, heavy }
  }

  it('a session gets a small multiple of what the others ask for, and no forecast follows it', ({
    expect,
  }) => {
    const { passed, heavy } = under(4)
    // 60 at once and 60 / 14.4 s = 4.2/s, instead of 288 and 20/s.
    expect(passed).toBeGreaterThan(150)
    expect(passed).toBeLessThan(60 + 4.2 * 35 + 10)
    expect(passed - heavy).toBeLessThan(30)
  })

  it('a session of a site with many images gets the usual 20/s', ({ expect }) => {
    expect(under(60).passed).toBeGreaterThan(288 + 18 * 35)
  })

  it('one session does not change what a busy one is', ({ expect }) => {
    const rates = ratesOf()
    for (let i = 0; i < 2000; i++) rates.use(`visitor ${i % 500}`, null, START + i * 10, true)
    let passed = 0
    for (let i = 0; i < 60 * 300; i++) {
      const nowMs = START + 20_000 + (i * 1000) / 60
      if (rates.use('passed around', null, nowMs, true) !== 'over' && i >= 60 * 290) passed++
    }
    expect(passed / 10).toBeLessThan(5)
  })
})
