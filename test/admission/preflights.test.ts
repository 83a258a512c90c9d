import { describe, it } from 'vitest'
import { Preflights } from '../../src/admission/preflights.ts'

const START = 1_000_000

describe('CORS preflights', () => {
  it('pass one for each request of a session, however many there are', ({ expect }) => {
    const preflights = new Preflights(0.5, START)
    for (let i = 0; i < 20_000; i++) {
      expect(preflights.pass(i % 500, START + i)).toBe(true)
      preflights.earn()
    }
  })

  it('are bounded at 20/s without requests, also from many addresses', ({ expect }) => {
    const preflights = new Preflights(0.5, START)
    let passed = 0
    for (let i = 0; i < 60_000; i++) if (preflights.pass(i, START + i)) passed++
    expect(passed).toBeGreaterThan(60 * 19)
    expect(passed).toBeLessThan(300 + 60 * 21)
  })

  it('of one address do not use up those of the others', ({ expect }) => {
    const preflights = new Preflights(0.5, START)
    let [attacker, visitors] = [0, 0]
    for (let i = 0; i < 60_000; i++) {
      const nowMs = START + i
      if (preflights.pass(7, nowMs)) attacker++
      if (i % 10 !== 0) continue
      preflights.earn()
      if (preflights.pass(1000 + (i % 1000), nowMs)) visitors++
    }
    expect(attacker).toBeLessThan(289 + 60 * 21)
    expect(visitors).toBeGreaterThan(0.75 * 6_000)
  })
})
