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
    const isIn = rates.allows('one session', range, nowMs)
    if (isIn && nowMs >= START + (seconds - 1) * 1000) passed++
  }
  return passed
}

describe('the rate of an admitted session', () => {
  it('may have the burst of a page with 250 images', ({ expect }) => {
    const rates = ratesOf()
    for (let i = 0; i < 250; i++) expect(rates.allows('visitor', null, START)).toBe(true)
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
          if (!rates.allows(`visitor ${visitor}`, null, START + second * 1000 + part)) refused++
    expect(refused).toBe(0)
  })

  it('is bounded by address range only where the route says so', ({ expect }) => {
    const off = ratesOf({ maxRate: 0 })
    expect(off.needsRange).toBe(false)
    expect(passes(off, 500, 10, 7)).toBe(500)
    const on = ratesOf({ maxRate: 0, maxRangeRate: 100 })
    let passed = 0
    for (let i = 0; i < 60_000; i++)
      if (on.allows(`session ${i}`, 7, START + i * 2) && i >= 59_500) passed++
    expect(Math.abs(passed - 100)).toBeLessThanOrEqual(2)
    // An unknown address is not bounded.
    expect(on.allows('session', null, START + 120_000)).toBe(true)
  })
})
